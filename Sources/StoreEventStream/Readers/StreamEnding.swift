/// What ended a stream, as the label `reason` of metrics has it.
package enum StreamEnding: String, Sendable, CaseIterable {
    /// The reader closed the connection, or it broke.
    case peer
    /// The reader took nothing for too long.
    case slow
    /// The server stops.
    case shutdown
    /// The session of the reader has ended, or an operator has ended the stream.
    case expired
    /// Its time was over.
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

    /// Its place among all.
    package var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
