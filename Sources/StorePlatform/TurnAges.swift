/// The ages of a pool's turns, counted in intervals between two calls of ``ThreadPool/relieve()``.
/// So no clock is read for a turn.
///
/// A turn that has lasted for one whole interval is held. Its thread is blocked or computes for
/// long, and does not count towards the pool's ``ThreadPool/threadsMax``.
struct TurnAges: Sendable {
    /// Turns that began in this interval.
    private var fresh = 0
    /// Turns that began in the interval before.
    private var aging = 0
    /// Turns that began earlier.
    private(set) var held = 0
    private var interval: UInt64 = 0

    /// Counts a turn that begins. Returns its interval, for ``end(_:)``.
    mutating func begin() -> UInt64 {
        fresh += 1
        return interval
    }

    /// Removes a turn that began in the given interval, and has ended.
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
