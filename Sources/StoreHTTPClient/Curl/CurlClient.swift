import CStoreCurl
import StoreCore
import Synchronization

/// The client on libcurl: connections are kept for the next request, and one thread works for all.
///
/// The system's configuration has the authorities that certificates have to come from, and the
/// proxies (`https_proxy`, `no_proxy`).
public final class CurlClient: HTTPClient {
    /// The most requests that are under way; one more fails at once.
    public static let requestsMax = 1_000
    /// The most connections; further requests wait for one, within their timeout.
    public static let connectionsMax = 64
    /// The most connections to one host.
    public static let connectionsPerHostMax = 16

    private let loop: CurlLoop

    /// Makes a client, and loads libcurl with the first one of the process. Where there is none,
    /// each request fails with ``HTTPClientError/Code/unavailable`` and says so.
    ///
    /// - Parameter authorities: the path of a PEM file with the certificate authorities to trust;
    ///   the system's where nothing is said.
    public init(authorities: String? = nil) {
        loop = CurlLoop(authorities: authorities)
    }

    deinit {
        loop.close()
    }

    /// Sends a request and waits for the whole response. Any thread.
    public func response(to request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        // The task of an effect has the trace, and the thread of the transfer has not.
        if let trace = TraceContext.parent, request.headers["traceparent"] == nil {
            request.headers.add("traceparent", trace)
        }
        try request.check()
        try Task.checkCancellation()
        let ticket = CurlTicket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loop.submit(CurlTransfer(request, ticket, continuation))
            }
        } onCancel: {
            loop.cancel(ticket)
        }
    }
}

/// Passes a request's cancellation to the thread that makes the transfer.
final class CurlTicket: Sendable {
    let isCancelled = Atomic(false)
}

extension HTTPRequest {
    /// Refuses what can't be sent as it stands.
    fileprivate func check() throws(HTTPClientError) {
        if let problem = CurlLibrary.problem { throw HTTPClientError(.unavailable, self, problem) }
        guard let parts = CurlURL(url), let scheme = parts[CURLUPART_SCHEME] else {
            throw HTTPClientError(.request, self, "the URL is none, or not absolute")
        }
        guard scheme == "http" || scheme == "https" else {
            throw HTTPClientError(.request, self, "the scheme is \(scheme), not http or https")
        }
        guard method.rawValue.isToken else {
            throw HTTPClientError(.request, self, "the method is no token")
        }
        if let field = headers.fields.first(where: { !$0.isWellFormed }) {
            throw HTTPClientError(
                .request,
                self,
                "the header field \(field.name.isToken ? field.name : "(no token)") can't be sent"
            )
        }
    }

    /// Whether redirects are followed: asking twice does no harm.
    var followsRedirects: Bool { redirectsMax > 0 && (method == .get || method == .head) }
}
