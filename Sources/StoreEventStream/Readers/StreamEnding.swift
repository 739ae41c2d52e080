/// The cause of a stream's end, and the label `reason` of metrics.
package enum StreamEnding: String, Sendable, CaseIterable {
    /// The reader closed the connection, or the connection broke.
    case peer
    /// The reader took nothing for too long.
    case slow
    /// The server stops.
    case shutdown
    /// The reader's session or credential has ended, or an operator has ended the stream.
    case expired
    /// The stream has reached its longest lifetime.
    case lifetime
    /// The part of the log that the reader was being sent can't be read any more.
    case interrupted

    package init(_ reason: CloseReason) {
        switch reason {
        case .shutdown: self = .shutdown
        case .expired: self = .expired
        case .lifetime: self = .lifetime
        case .slow: self = .slow
        }
    }

    /// The index of this case in `allCases`.
    package var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
