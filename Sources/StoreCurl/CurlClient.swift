import CStoreCurl
import StorePlatform
import StoreTexts
import StoreTraces
import Synchronization

/// An HTTP client that uses libcurl and keeps connections open for later requests. A single thread
/// makes all transfers of a client.
///
/// By default, the client trusts the system's certificate authorities, and uses the proxies of the
/// environment (`https_proxy`, `no_proxy`).
public final class CurlClient: HTTPClient {
    /// The maximum number of requests at the same time; a further request fails at once.
    public static let requestsMax = 1_000
    /// The maximum number of connections; a further request waits for a connection, within its
    /// timeout.
    public static let connectionsMax = 64
    /// The maximum number of connections to one host.
    public static let connectionsPerHostMax = 16

    private let loop: CurlLoop

    /// Makes a client. The first client of the process loads libcurl. If that fails, each request
    /// throws ``HTTPClientError/Code/unavailable`` with the reason.
    ///
    /// - Parameter authorities: the path of a PEM file with the trusted certificate authorities; by
    ///   default, the system's authorities.
    public init(authorities: String? = nil) { loop = CurlLoop(authorities: authorities) }

    /// Makes a client that uses the system's proxies, or connects to each server directly.
    package init(usesProxies: Bool) { loop = CurlLoop(authorities: nil, usesProxies: usesProxies) }

    deinit { loop.close() }

    /// Sends a request and waits for the whole response. Any thread may call this function.
    public func response(to request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        // The trace is a task-local value, which the thread of the transfers cannot read. So this
        // function adds the field `traceparent`.
        if let trace = SpanContext.currentTraceparent, request.headers["traceparent"] == nil {
            request.headers.add("traceparent", trace)
        }
        try request.check()
        try Task.checkCancellation()
        let ticket = CurlCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loop.submit(CurlTransfer(request, ticket) { continuation.resume(with: $0) })
            }
        } onCancel: {
            loop.cancel(ticket)
        }
    }

    /// Sends a request, and blocks the calling thread until the whole response has arrived. An
    /// effect must call ``response(to:)`` instead, because its thread must not block.
    package func waitForResponse(to request: HTTPRequest) throws -> HTTPResponse {
        try request.check()
        let result = Locked<Result<HTTPResponse, any Error>>(.failure(CancellationError()))
        let isOver = TimedSemaphore()
        loop.submit(
            CurlTransfer(request, CurlCancellation()) { answer in
                result.withLock { $0 = answer }
                isOver.signal()
            }
        )
        isOver.wait()
        return try result.withLock { $0 }.get()
    }
}

/// A flag that shows the thread of the transfers whether a request is cancelled.
final class CurlCancellation: Sendable {
    let isCancelled = Atomic(false)
}

extension HTTPRequest {
    /// Throws an error if the request cannot be sent.
    fileprivate func check() throws(HTTPClientError) {
        if let problem = CurlLibrary.loadError {
            throw HTTPClientError(.unavailable, self, problem)
        }
        guard let parts = CurlURL(url), let scheme = parts[CURLUPART_SCHEME] else {
            throw HTTPClientError(.request, self, "the URL is not valid, or not absolute")
        }
        guard scheme == "http" || scheme == "https" else {
            throw HTTPClientError(.request, self, "the scheme is \(scheme), not http or https")
        }
        guard method.rawValue.isToken else {
            throw HTTPClientError(.request, self, "the method is no token")
        }
        if let field = headers.fields.first(where: { !$0.isWellFormed }) {
            let name = field.name.isToken ? field.name : "(no token)"
            throw HTTPClientError(.request, self, "the header field \(name) can't be sent")
        }
    }

    /// True if the request has `Connection: close`. libcurl would keep the connection after such a
    /// request, unless an option forbids that.
    var closesConnection: Bool { headers["connection"]?.lowercasedASCII == "close" }

    /// True if the client follows redirects: only for methods that may be sent twice without harm.
    var followsRedirects: Bool { redirectsMax > 0 && (method == .get || method == .head) }
}

/// A URL that libcurl has parsed. The checks of a request and its transfer thus find the same
/// parts.
struct CurlURL: ~Copyable {
    private let handle: OpaquePointer

    /// Parses a URL; `nil` if it is not an absolute URL, or if libcurl cannot be used.
    init?(_ text: String) {
        guard CurlLibrary.isReady, !text.utf8.contains(0), let handle = curl().url() else {
            return nil
        }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
        guard curl().url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK else {
            curl().url_cleanup(handle)
            return nil
        }
        self.handle = handle
    }

    deinit { curl().url_cleanup(handle) }

    /// Returns the part of this kind; `nil` if the URL does not have it.
    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl().url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl().free(text) }
        return String(cString: text)
    }

    /// The URL without user, password, query and fragment.
    var redacted: String {
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT] {
            _ = curl().url_set(handle, part, nil, 0)
        }
        return self[CURLUPART_URL] ?? ""
    }

    /// Returns the ``redacted`` form of the URL in a text, for errors and logs.
    static func redacted(_ text: String) -> String { CurlURL(text)?.redacted ?? "(no URL)" }
}

/// Returns the functions of libcurl, by their names without `curl_`. The functions may be called
/// only if ``CurlLibrary/loadError`` is `nil`.
func curl() -> ccurl_functions { ccurl_library().pointee }

/// The library libcurl, loaded at its first use: a store that sends no requests never loads it.
enum CurlLibrary {
    /// The reason why libcurl cannot be used, or `nil`. The first access loads libcurl. Any thread
    /// may read this property.
    static var loadError: String? { ccurl_load().map { String(cString: $0) } }

    /// Returns the text of an error.
    static func text(_ error: UnsafePointer<CChar>?) -> String {
        error.map { String(cString: $0) } ?? "unknown error"
    }

    /// True if libcurl can be used, and is initialized.
    static let isReady =
        loadError == nil && curl().global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
