package import StoreJSON

// Problems with the form of a request: the server cannot read the request, or does not permit it.

extension Problem {
    /// 400: the body is not JSON as protocol 1.2 and 9 require it. `offset` is the number of bytes
    /// before the error, and `message` describes the error.
    package static func malformedJSON(offset: Int, message: String) -> Problem {
        Problem(
            .malformedJSON,
            detail: "The body cannot be read as JSON at byte \(offset): \(message)",
            members: [ProblemMember("offset", .integer(UInt64(max(offset, 0))))]
        )
    }

    /// 400: the framing, the query or a header is invalid. `detail` has the invalid part and the
    /// reason.
    ///
    /// If the end of the request is in doubt, the transport also closes the connection.
    package static func badRequest(_ detail: String) -> Problem {
        Problem(.badRequest, detail: detail)
    }

    /// 400: a query parameter has an invalid value. `allowed` describes a valid value.
    package static func badQuery(_ name: String, allowed: String) -> Problem {
        badRequest("The query parameter \"\(name)\" cannot be used as it is. Give \(allowed).")
    }

    /// 400: a header has an invalid value. `allowed` describes a valid value.
    package static func badHeader(_ name: String, allowed: String) -> Problem {
        badRequest("The header \(name) cannot be used as it is. Give \(allowed).")
    }

    /// 401: the request has no valid credentials. `challenge` is the value of the header
    /// `WWW-Authenticate`.
    package static func unauthorized(
        _ detail: String =
            "This request needs valid credentials. Send them in the Authorization header.",
        challenge: String = "Bearer"
    ) -> Problem {
        Problem(.unauthorized, detail: detail, headers: [("WWW-Authenticate", challenge)])
    }

    /// 403: the caller has no permission for this request.
    package static func forbidden(_ detail: String) -> Problem {
        Problem(.forbidden, detail: detail)
    }

    /// 404: no resource has this path.
    package static func notFound(path: String) -> Problem {
        Problem(
            .notFound,
            detail: "There is nothing at \(excerpt(path)). "
                + "GET /openapi.json lists all paths."
        )
    }

    /// 404: the state has no value at a pointer (protocol 3.2).
    package static func notFound(pointer: String) -> Problem {
        Problem(
            .notFound,
            detail: "The state has no value at \"\(excerpt(pointer))\". "
                + "GET /state shows the whole state, GET /schema describes its type."
        )
    }

    /// 404: a version does not exist yet (protocol 3.3).
    package static func notFound(version: UInt64, newest: UInt64) -> Problem {
        Problem(
            .notFound,
            detail: "Version \(version) does not exist yet; the newest is \(newest). "
                + "GET /state?after=\(newest)&wait=60 waits for the next."
        )
    }

    /// 404: the outcome of a dispatch is no longer stored, or belongs to another session (protocol
    /// 2.11).
    package static func notFound(outcomeOf version: String) -> Problem {
        Problem(
            .notFound,
            detail: "The outcome of a dispatch of version \"\(excerpt(version))\" is not "
                + "remembered here for this client. The server remembers an outcome for a while, "
                + "and only if it answered the dispatch with 202 in this session; GET /actions shows the "
                + "applied actions."
        )
    }

    /// 405: the resource exists, but does not have this method.
    package static func methodNotAllowed(_ method: String, allowed: [String]) -> Problem {
        let list = allowed.joined(separator: ", ")
        return Problem(
            .methodNotAllowed,
            detail: "\(excerpt(method)) is not possible here; \(list) is. "
                + "State changes only by an action: POST /dispatch.",
            headers: [("Allow", list)]
        )
    }

    /// 408: the request did not arrive in time. `what` is the late part of the request, such as
    /// "the headers" or "the body".
    package static func timeout(of what: String, seconds: Int) -> Problem {
        Problem(
            .timeout,
            detail: "Not all of \(what) came within \(seconds) s. Send the request again, faster."
        )
    }

    /// 421: this server does not answer for the `Host` of the request (protocol 10.4).
    package static func misdirected(host: String) -> Problem {
        Problem(
            .misdirected,
            detail: "This server does not answer for the host \"\(excerpt(host))\". "
                + "Use the address it listens on, or start it with --allowed-host."
        )
    }

    /// 505: the request line names a version of HTTP that the server does not support.
    package static func httpVersionNotSupported() -> Problem {
        Problem(
            .httpVersionNotSupported,
            detail: "HTTP/1.1 and HTTP/1.0 are served. Send the request as HTTP/1.1."
        )
    }

    /// 413: the body is longer than the server accepts.
    package static func tooLarge(limit: Int) -> Problem {
        byteLimitExceeded(.tooLarge, "The body", limit: limit, advice: "Send less at once.")
    }

    /// 413: the route accepts no body, not even a short body.
    package static func bodyNotTaken(_ method: String, _ path: String) -> Problem {
        let body = "The body of \(excerpt(method)) \(excerpt(path))"
        return byteLimitExceeded(
            .tooLarge,
            body,
            limit: 0,
            advice: "Send the request without a body."
        )
    }

    /// 414: the target of the request is longer than the server accepts.
    package static func uriTooLong(limit: Int) -> Problem {
        byteLimitExceeded(.uriTooLong, "The request target", limit: limit, advice: "Shorten it.")
    }

    /// 431: the headers together are longer than the server accepts.
    package static func headersTooLarge(limit: Int) -> Problem {
        let advice = "Send fewer or shorter headers."
        return byteLimitExceeded(
            .headersTooLarge,
            "The header section",
            limit: limit,
            advice: advice
        )
    }

    /// 431: the request has more header fields than the server accepts.
    package static func headersTooLarge(fields limit: Int) -> Problem {
        Problem(
            .headersTooLarge,
            detail: "The request has more than the \(limit) header fields that the server accepts. "
                + "Send fewer.",
            members: [limitMember(limit)]
        )
    }

    /// 415: the server does not accept the media type of the body (protocol 2.4). If `detail` is
    /// `nil`, the problem has the usual sentence.
    package static func unsupportedMediaType(
        accept: String = "application/json",
        detail: String? = nil
    ) -> Problem {
        Problem(
            .unsupportedMediaType,
            detail: detail ?? "The body has to be sent with Content-Type: \(accept).",
            headers: [("Accept", accept)]
        )
    }

    /// 415: the server does not accept a compressed body.
    package static func unsupportedEncoding(_ encoding: String) -> Problem {
        Problem(
            .unsupportedMediaType,
            detail: "A body with Content-Encoding: \(excerpt(encoding)) is not accepted. "
                + "Send it as it is, with Content-Type: application/json.",
            headers: [("Accept", "application/json"), ("Accept-Encoding", "identity")]
        )
    }

    private static func byteLimitExceeded(
        _ slug: ProblemSlug,
        _ part: String,
        limit: Int,
        advice: String
    ) -> Problem {
        Problem(
            slug,
            detail: "\(part) is larger than the \(limit) bytes that the server accepts. \(advice)",
            members: [limitMember(limit)]
        )
    }

    private static func limitMember(_ limit: Int) -> ProblemMember {
        ProblemMember("limit", .integer(UInt64(max(limit, 0))))
    }
}

extension Problem {
    /// Makes the problem for the error of a body. The status is 413 if the body has more than
    /// `bytesMax` bytes. The status is 400 if the body is not valid JSON, and 422 if the body does
    /// not fit its type.
    package init(_ error: JSONError, bytesMax: Int = JSONLimits().bytesMax) {
        if error.code == .tooLarge {
            self = .tooLarge(limit: bytesMax)
        } else if error.isParseError {
            self = .malformedJSON(offset: error.offset, message: error.message)
        } else {
            self = .invalidPayload(
                pointer: error.pointer,
                expected: error.expected ?? "another value",
                detail: error.message
            )
        }
    }
}
