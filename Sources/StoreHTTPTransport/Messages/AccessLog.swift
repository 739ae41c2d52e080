/// Takes a note of each request, when it is over, and of each stream that one became. Any thread
/// may call; nothing waits.
package protocol AccessLog: Sendable {
    func requestEnded(_ access: Access)
    func streamEnded(_ access: Access)
}

/// What is known of a request when it is over. Made only where there is an access log, or where the
/// request is a part of an exported trace.
///
/// Filled in on the event loop's thread, and handed over as a whole.
package struct Access: Sendable {
    /// The most bytes of a target that are kept.
    static let pathBytesMax = 1_000

    /// When the request line was read, in seconds of the steady clock.
    let began: Double
    /// `nil` where what came is no request.
    package internal(set) var method: String?
    /// The target without its query, as it came; at most 1,000 bytes of it.
    package internal(set) var path = ""
    /// The status of the answer; `nil` where the client left before there was one.
    package internal(set) var status: Int?
    /// The bytes of the answer's body; of a stream, none are counted.
    package internal(set) var bytes = 0
    /// How long the request lasted, or the stream, in seconds.
    package internal(set) var seconds = 0.0
    /// Where the client is, without its port.
    package internal(set) var peerHost = ""
    /// What the handler has kept of the request (``HTTPExchange/resource``).
    package internal(set) nonisolated(unsafe) var resource: AnyObject?

    /// The name of the request, in its problems and in the log.
    package var requestID: String?
    /// The digest of its session's secret.
    package var session: String?
    /// The name of the principal that asked.
    package var principal: String?
    /// The name of its role.
    package var role: String?
    /// The trace that it is a part of.
    package var traceID: String?
    /// Its span; `nil` where its trace is not exported.
    package internal(set) var span: RequestSpan?

    init(began: Double) {
        self.began = began
    }
}

/// Keeps what is noted of a request out of its exchange, which is reused for many.
final class AccessNote {
    var access: Access

    init(_ access: Access) {
        self.access = access
    }
}
