/// What answers requests. Every call comes on the event loop's thread, so none may wait.
package protocol HTTPHandler: AnyObject, Sendable {
    /// Looks at a request whose headers are complete, before its body. A response is sent at once
    /// and the body is not read; `nil` lets the request go on.
    func admit(_ request: HTTPExchange) -> HTTPResponse?

    /// Answers a whole request: calls `respond`, `suspend` or `stream`, once.
    func handle(_ exchange: HTTPExchange)

    /// The loop has worked on all that was ready and is about to wait.
    func turnEnded()

    /// The answer to `GET /livez` of a connection that has no place; `nil` if it is refused as any
    /// other.
    var liveness: HTTPResponse? { get }

    /// Puts the transport's own refusal into words.
    func response(for failure: TransportFailure) -> HTTPResponse
}

extension HTTPHandler {
    package var liveness: HTTPResponse? { nil }
}
