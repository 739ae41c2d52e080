/// The pace at which readers of the log catch up while actions are applied.
///
/// Dispatching goes first: after a turn that sent much, the log pauses for four times as long as
/// the turn took. So catching up takes a fifth of a core. A pause has a bound and a turn follows
/// it, so every reader gets on. There are no pauses while no action is applied.
struct LogPace {
    /// The size in bytes from which a pause follows a turn. After a smaller turn the next one
    /// follows at once, so readers that keep up get each record as it comes.
    static let turnBytesMin = 256 << 10
    static let pauseFactor = 4.0
    /// The longest pause. A turn may have been long only because other threads had the core.
    static let pauseSecondsMax = 0.02

    /// The time at which the last pause ends.
    private var end = 0.0
    /// The newest version at the last turn.
    private var version: UInt64 = 0

    /// Returns the rest of the pause in seconds.
    func pauseSeconds(at now: Double) -> Double { max(0, end - now) }

    /// Notes a turn: its time, the bytes that it sent, and the newest version.
    mutating func turned(
        from began: Double,
        to ended: Double,
        bytes: Int,
        version newest: UInt64
    ) {
        defer { version = newest }
        guard bytes >= Self.turnBytesMin, newest != version else { return }
        end = ended + min((ended - began) * Self.pauseFactor, Self.pauseSecondsMax)
    }
}
