package import StoreJSON

/// The cause of a stream's end. The raw value is the value of the label `reason` in metrics.
package enum StreamEnding: String, Sendable, CaseIterable {
    /// The reader closed the connection, or the connection broke.
    case peer
    /// The reader took nothing for too long.
    case slow
    /// The server stops.
    case shutdown
    /// The reader's session or credential has ended, or an operator has ended the stream.
    case expired
    /// The stream has lasted for the longest allowed time.
    case lifetime
    /// The next records for a reader of the log can't be read any more.
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
    package var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The reason why the server closes a stream.
package enum CloseReason: String, Sendable, CaseIterable {
    case shutdown, expired, lifetime, slow
}

/// The closures that make the events of every stream: the heartbeat, the notice before a credential
/// ends, and the last event. The HTTP layer provides these closures, because they need the epoch.
package struct StreamFrames: Sendable {
    /// Makes the event that keeps a quiet stream alive. `version` is the store's newest version.
    package let makeHeartbeat: @Sendable (_ version: UInt64) -> Bytes
    /// Makes the event that announces the end of the stream. The stream ends with the owner's
    /// credential, in this many seconds.
    package let makeExpiring: @Sendable (_ seconds: Int64) -> Bytes
    /// Makes the last event of a stream that the server closes.
    package let makeBye: @Sendable (CloseReason) -> Bytes

    package init(
        makeHeartbeat: @escaping @Sendable (UInt64) -> Bytes,
        makeExpiring: @escaping @Sendable (Int64) -> Bytes,
        makeBye: @escaping @Sendable (CloseReason) -> Bytes
    ) {
        self.makeHeartbeat = makeHeartbeat
        self.makeExpiring = makeExpiring
        self.makeBye = makeBye
    }
}

/// The bounds of streams. Times are in seconds.
package struct StreamLimits: Sendable {
    /// The most streams that are open at a time.
    package var streamsMax = 10_000
    package var heartbeatSeconds = 15
    /// The longest time for which a reader may take no byte. After this time, the writer closes the
    /// stream.
    package var stallSeconds = 30
    /// The longest time that a stream may last; 0 if there is no bound.
    package var lifetimeSeconds = 0

    package init() {}
}
