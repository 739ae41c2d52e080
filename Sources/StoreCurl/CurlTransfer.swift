import CStoreCurl

/// A request that is being transferred: the handle of libcurl, and the answer so far.
final class CurlTransfer: @unchecked Sendable {
    // Safety: the requesting task makes the object, and passes it to the loop through the loop's
    // lock. From then on, only the loop's thread uses the object.

    /// The maximum number of bytes of an answer's header fields, including the fields of redirects.
    static let headersBytesMax = 64 << 10

    let request: HTTPRequest
    let cancellation: CurlCancellation
    private(set) var handle: UnsafeMutableRawPointer?
    private let completion: @Sendable (Result<HTTPResponse, any Error>) -> Void
    private let errorText: UnsafeMutablePointer<CChar>
    private var requestHeaderList: UnsafeMutablePointer<curl_slist>?
    private var responseHeaders = HTTPHeaders()
    private var responseHeadersBytes = 0
    private var responseBody: [UInt8] = []
    /// The reason why a callback has stopped the transfer.
    private var stopReason: String?

    init(
        _ request: HTTPRequest,
        _ ticket: CurlCancellation,
        completion: @escaping @Sendable (Result<HTTPResponse, any Error>) -> Void
    ) {
        self.request = request
        self.cancellation = ticket
        self.completion = completion
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit { errorText.deallocate() }

    /// Frees the handle. The caller must have removed the handle from `multi`.
    func release() {
        if let handle { curl().easy_cleanup(handle) }
        handle = nil
        curl().slist_free_all(requestHeaderList)
        requestHeaderList = nil
    }
}

// The beginning

extension CurlTransfer {
    /// Makes the handle. Returns `nil` if libcurl refuses an option or has no memory.
    func makeHandle(authorities: String?, usesProxies: Bool) -> UnsafeMutableRawPointer? {
        handle = curl().easy_init()
        guard let handle, addRequestHeaders() else { return nil }
        let isSecure = CurlURL(request.url)?[CURLUPART_SCHEME] == "https"
        var codes = [
            ccurl_set_text(handle, CURLOPT_URL, request.url),
            ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https"),
            ccurl_set_text(handle, CURLOPT_REDIR_PROTOCOLS_STR, isSecure ? "https" : "http,https"),
            ccurl_set_number(handle, CURLOPT_FOLLOWLOCATION, request.followsRedirects ? 1 : 0),
            ccurl_set_number(handle, CURLOPT_MAXREDIRS, request.redirectsMax),
            ccurl_set_number(handle, CURLOPT_FORBID_REUSE, request.closesConnection ? 1 : 0),
            ccurl_set_number(handle, CURLOPT_SSL_VERIFYPEER, 1),
            ccurl_set_number(handle, CURLOPT_SSL_VERIFYHOST, 2),
            ccurl_set_number(handle, CURLOPT_TIMEOUT_MS, request.timeout.curlMilliseconds),
            ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1),
            ccurl_set_quick_exit(handle),
            ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText),
            ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, requestHeaderList),
        ]
        if let authorities { codes.append(ccurl_set_text(handle, CURLOPT_CAINFO, authorities)) }
        // An asterisk stands for all hosts.
        if !usesProxies { codes.append(ccurl_set_text(handle, CURLOPT_NOPROXY, "*")) }
        codes += setMethod(of: handle) + setCallbacks(of: handle)
        return codes.allSatisfy { $0 == CURLE_OK } ? handle : nil
    }

    private func setMethod(of handle: UnsafeMutableRawPointer) -> [CURLcode] {
        switch request.method {
        case .get where request.body.isEmpty: [ccurl_set_number(handle, CURLOPT_HTTPGET, 1)]
        case .head: [ccurl_set_number(handle, CURLOPT_NOBODY, 1)]
        case .delete where request.body.isEmpty:
            [ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue)]
        default:
            // `COPYPOSTFIELDS` copies the body, so the size of the body must be set first.
            [
                ccurl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)),
                request.body.withUnsafeBytes {
                    ccurl_set_pointer(
                        handle,
                        CURLOPT_COPYPOSTFIELDS,
                        $0.baseAddress ?? .init(errorText)
                    )
                },
                ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue),
            ]
        }
    }

    private func setCallbacks(of handle: UnsafeMutableRawPointer) -> [CURLcode] {
        // Safety: the loop keeps the transfer for as long as libcurl has the handle.
        let context = Unmanaged.passUnretained(self).toOpaque()
        var codes = [
            ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context),
            ccurl_set_sink(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                CurlTransfer.from(context: context)?.receive(
                    body: .init(start: bytes, count: size * count)
                )
                    ?? 0
            },
            ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context),
            ccurl_set_sink(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                CurlTransfer.from(context: context)?.receive(
                    headerLine: .init(start: bytes, count: size * count)
                ) ?? 0
            },
        ]
        if request.method != .head, request.responseBytesMax > 0 {
            // With this option, libcurl stops a transfer before the body's first byte if the
            // `Content-Length` is too large.
            let bytesMax = curl_off_t(request.responseBytesMax)
            codes.append(ccurl_set_size(handle, CURLOPT_MAXFILESIZE_LARGE, bytesMax))
        }
        return codes
    }

    private static func from(context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Adds the request's header fields, and removes fields that libcurl would add. Returns false
    /// if there is no memory.
    private func addRequestHeaders() -> Bool {
        var lines = request.headers.fields.map {
            $0.value.isEmpty ? $0.name + ";" : $0.name + ": " + $0.value
        }
        for name in ["Expect", "Content-Type"] where request.headers[name] == nil {
            lines.append(name + ":")
        }
        for line in lines {
            guard let list = curl().slist_append(requestHeaderList, line) else { return false }
            requestHeaderList = list
        }
        return true
    }
}

// Receiving the answer, and completing the request

extension CurlTransfer {
    /// Appends a piece of the body. Returns the number of bytes taken. If the number is less than
    /// the size of the piece, libcurl stops the transfer.
    private func receive(body piece: UnsafeRawBufferPointer) -> Int {
        guard piece.count <= request.responseBytesMax - responseBody.count else {
            stopReason = "the answer has more than \(request.responseBytesMax) bytes"
            return 0
        }
        responseBody.append(contentsOf: piece)
        return piece.count
    }

    /// Takes a line of the answer's header. If the line is a header field, adds the field to the
    /// answer. A status line begins another answer, so the previous answer is dropped. Returns the
    /// number of bytes taken.
    private func receive(headerLine: UnsafeRawBufferPointer) -> Int {
        responseHeadersBytes += headerLine.count
        guard responseHeadersBytes <= Self.headersBytesMax else {
            stopReason = "the header fields have more than \(Self.headersBytesMax) bytes"
            return 0
        }
        if headerLine.starts(with: "HTTP/".utf8) {
            responseHeaders.removeAll()
            responseBody.removeAll()
        } else if let colon = headerLine.firstIndex(of: UInt8(ascii: ":")) {
            let isSpace = { (byte: UInt8) in byte <= 0x20 }
            let value = headerLine[(colon + 1)...].drop(while: isSpace)
            let end = value.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? value.startIndex
            responseHeaders.add(
                String(decoding: headerLine[..<colon], as: UTF8.self),
                String(decoding: value[..<end], as: UTF8.self)
            )
        }
        return headerLine.count
    }

    /// Completes the request with the response, or with the error for libcurl's result.
    func complete(_ result: CURLcode) {
        guard let handle, result == CURLE_OK else {
            return fail(code(of: result), cause(of: result))
        }
        let response = HTTPResponse(
            status: ccurl_status(handle),
            headers: responseHeaders,
            body: responseBody,
            url: ccurl_url_of(handle).map { String(cString: $0) } ?? request.url
        )
        completion(.success(response))
    }

    func fail(_ code: HTTPClientError.Code, _ cause: String) {
        completion(.failure(HTTPClientError(code, request, cause)))
    }

    func cancel() { completion(.failure(CancellationError())) }

    private func code(of result: CURLcode) -> HTTPClientError.Code {
        switch result {
        case CURLE_OPERATION_TIMEDOUT: .timeout
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        case CURLE_WRITE_ERROR where stopReason != nil: .tooLarge
        case CURLE_TOO_MANY_REDIRECTS: .redirect
        // The scheme of the request's own URL was checked before the transfer. So the error is
        // about the scheme of a redirect, or about the answer's protocol, such as HTTP/0.9.
        case CURLE_UNSUPPORTED_PROTOCOL:
            errorText.pointee == 0 || isRedirectStatus ? .redirect : .malformed
        case CURLE_WEIRD_SERVER_REPLY, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_HTTP2,
            CURLE_HTTP2_STREAM, CURLE_BAD_CONTENT_ENCODING:
            .malformed
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            .certificate
        default: .unreachable
        }
    }

    private var isRedirectStatus: Bool { 300...399 ~= handle.map(ccurl_status) ?? 0 }

    private func cause(of result: CURLcode) -> String {
        if let stopReason { return stopReason }
        switch result {
        case CURLE_OPERATION_TIMEDOUT: return "no whole answer within \(request.timeout)"
        case CURLE_FILESIZE_EXCEEDED:
            return "the answer has more than \(request.responseBytesMax) bytes"
        case CURLE_TOO_MANY_REDIRECTS: return "more than \(request.redirectsMax) redirects"
        default:
            let words = String(cString: errorText)
            return words.isEmpty ? CurlLibrary.text(curl().easy_strerror(result)) : words
        }
    }
}

extension Duration {
    /// The duration in milliseconds for libcurl, from 1 to `Int32.max`. For libcurl, 0 would mean
    /// no limit.
    fileprivate var curlMilliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int32.max / 1_000) else { return Int(Int32.max) }
        return max(1, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
