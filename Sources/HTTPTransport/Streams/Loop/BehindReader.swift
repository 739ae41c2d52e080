import EventStream

/// What one reader is behind with, and when it last took something.
struct BehindReader {
    var backlog: Backlog
    var progressed: Double
    /// The version that it had when it fell behind, if any.
    var version: UInt64?
    var closes = false
    /// Whether it is to be brought to the newest version after this.
    var isDue = false
    /// Where a large frame is what it is behind with, and it is not in patch mode.
    var aside: Aside?
    /// Whether its socket takes more, and it is the others' turn.
    var awaitsTurn = false
}
