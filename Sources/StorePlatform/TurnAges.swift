/// How long the turns of a pool's tasks have lasted, counted in intervals between two calls of
/// ``ThreadPool/relieve()``: so no clock is read for a turn.
///
/// A turn that has lasted for one whole interval is held: its thread is blocked, or computes for
/// long, and does not count against the most threads of the pool.
struct TurnAges: Sendable {
    /// Turns that began in this interval.
    private var fresh = 0
    /// Turns that began in the interval before.
    private var aging = 0
    /// Turns that began earlier.
    private(set) var held = 0
    private var interval: UInt64 = 0

    /// Notes that a turn begins. Returns its interval, for ``end(_:)``.
    mutating func begin() -> UInt64 {
        fresh += 1
        return interval
    }

    /// Notes that a turn has ended that began in this interval.
    mutating func end(_ begun: UInt64) {
        switch interval - begun {
        case 0: fresh -= 1
        case 1: aging -= 1
        default: held -= 1
        }
    }

    /// Begins the next interval.
    mutating func advance() {
        held += aging
        aging = fresh
        fresh = 0
        interval += 1
    }
}
