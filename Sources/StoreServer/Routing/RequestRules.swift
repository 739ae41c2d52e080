import HTTPTransport
import Texts
import Wire

/// What routes ask of requests before they look at what they are for.
enum RequestRules {
    /// 403 for what a page of another origin sends from somebody's browser.
    ///
    /// A server on loopback is within reach of every page that is open on the machine, and a browser
    /// sends a POST without a body, and so without a type, wherever a page likes.
    static func crossOrigin(_ request: HTTPExchange) -> Problem? {
        guard let origin = request.header("origin")?.lowercasedASCII else { return nil }
        let host = (request.host ?? "").lowercasedASCII
        guard !["http://\(host)", "https://\(host)"].contains(exactly: origin) else { return nil }
        return .forbidden(
            "This does nothing for pages of another origin than its own. "
                + "Ask without a browser, for instance with curl."
        )
    }

    /// The same, and 415 for a body that is not said to be JSON.
    static func json(_ request: HTTPExchange) -> Problem? {
        if let refusal = crossOrigin(request) { return refusal }
        return request.header("content-type").map(MediaType.isJSON) == true
            ? nil : .unsupportedMediaType()
    }
}

extension HTTPResponse {
    /// A JSON object that is not kept.
    static func unkept(status: Int = 200, _ members: (inout JSONWriter) -> Void) -> HTTPResponse {
        var json = JSONWriter()
        json.object(members)
        return HTTPResponse(
            status: status,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(json.array)
        )
    }

    /// Done, and there is nothing to say.
    static let done = HTTPResponse(status: 204, headers: [("Cache-Control", "no-store")])
}
