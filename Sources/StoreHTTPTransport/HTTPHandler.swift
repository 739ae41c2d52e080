/// The port through which the event loop hands over requests. Every call comes on the loop's
/// thread, so no function may wait.
package protocol HTTPHandler: AnyObject, Sendable {
    /// Decides about a request whose headers are complete, before its body. A response is sent at
    /// once, and the body is not read. With `nil`, the request goes on.
    func admit(_ request: HTTPExchange) -> HTTPResponse?

    /// Answers a whole request: calls `respond`, `suspend`, `park` or `stream` once.
    func handle(_ exchange: HTTPExchange)

    /// Notes that the loop has finished a turn and is about to wait.
    func turnEnded()

    /// The answer to `GET /livez` on a connection that has no place; `nil` if the loop refuses such
    /// a connection like any other.
    var liveness: HTTPResponse? { get }

    /// Returns the response for a refusal of the transport itself.
    func response(for failure: TransportFailure) -> HTTPResponse
}

extension HTTPHandler {
    package var liveness: HTTPResponse? { nil }
}
