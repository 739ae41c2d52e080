/// How fast readers of the log may catch up while actions are being applied.
///
/// Dispatching goes first: after a turn that sent much, the log pauses for four times as long as
/// the turn took, so that catching up takes a fifth of a core. Every reader goes on, because a
/// pause has a bound and a turn follows it. While no action is applied there are no pauses.
struct LogPace {
    /// A turn that sends less is followed by the next one at once: readers that keep up get each
    /// record as it comes.
    static let turnBytesMin = 256 << 10
    static let pauseFactor = 4.0
    /// The longest pause: a turn may have been long because others had the core.
    static let pauseSecondsMax = 0.02

    /// When the last pause ends.
    private var end = 0.0
    /// The newest version at the last turn.
    private var version: UInt64 = 0

    /// For how long the log pauses yet.
    func pauseSeconds(at now: Double) -> Double { max(0, end - now) }

    /// Notes a turn: how long it took, what it sent, and the newest version there was.
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
