/// The port that gets the data of each request when it is over, and of each stream when it has
/// ended. Any thread may call; no call may wait.
package protocol AccessLog: Sendable {
    func requestEnded(_ access: Access)
    func streamEnded(_ access: Access)
}

/// The data of a request that is over, or of a stream that has ended. The data are collected only
/// if there is an access log, or the request is a part of an exported trace.
///
/// The event loop's thread fills this value in, and hands it over as a whole.
package struct Access: Sendable {
    /// The most bytes of a target that are kept.
    static let pathBytesMax = 1_000

    /// The time at which the request line was read, in seconds of the steady clock.
    let began: Double
    /// The method; `nil` if no valid head was read.
    package internal(set) var method: String?
    /// The target without its query, as it came; at most 1,000 bytes of it.
    package internal(set) var path = ""
    /// The status of the answer; `nil` if the client left before the answer.
    package internal(set) var status: Int?
    /// The bytes of the answer's body; 0 for a stream.
    package internal(set) var bytes = 0
    /// The duration of the request or the stream, in seconds.
    package internal(set) var seconds = 0.0
    /// The client's address, without its port.
    package internal(set) var peerHost = ""
    /// The object that the handler keeps for the request (``HTTPExchange/resource``).
    package internal(set) nonisolated(unsafe) var resource: AnyObject?

    /// The id of the request, in its problems and in the log.
    package var requestID: String?
    /// The digest of the session's secret.
    package var session: String?
    /// The name of the principal.
    package var principal: String?
    /// The name of the principal's role.
    package var role: String?
    /// The trace that the request is a part of.
    package var traceID: String?
    /// The span of the request; `nil` if its trace is not exported.
    package internal(set) var span: RequestSpan?

    init(began: Double) {
        self.began = began
    }
}

/// The data of a request outside its exchange, which is used again for other requests.
final class AccessNote {
    var access: Access

    init(_ access: Access) {
        self.access = access
    }
}
