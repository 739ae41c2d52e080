import HTTPTransport
import Wire

/// What all requests to the operator's debug surface have in common.
enum DebugRequest {
    /// 403 for what a page of another origin sends from somebody's browser.
    ///
    /// A server on loopback is within reach of every page that is open on the machine, and a browser
    /// sends a POST without a body, and so without a type, wherever a page likes.
    static func refusal(of request: HTTPExchange) -> Problem? {
        guard let origin = request.header("origin")?.lowercased() else { return nil }
        let host = (request.host ?? "").lowercased()
        guard origin != "http://\(host)", origin != "https://\(host)" else { return nil }
        return .forbidden(
            "The debug routes do nothing for pages of another origin than their own. "
                + "Ask without a browser, for instance with curl."
        )
    }

    /// An answer that nobody keeps.
    static func answer(_ body: (inout JSONWriter) -> Void) -> HTTPResponse {
        var json = JSONWriter()
        json.object(body)
        return HTTPResponse(
            status: 200,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(json.array)
        )
    }

    /// Done, and there is nothing to say.
    static let done = HTTPResponse(status: 204, headers: [("Cache-Control", "no-store")])
}
