import StoreEventStream
import StoreHTTPTransport
import StoreWire

/// The parameters of requests for streams.
enum StreamParameters {
    /// The most characters in a reader's name.
    static let nameCharactersMax = 128

    static let mode = Parameter<StreamMode>.choice(
        "mode",
        "Events have the whole value, or after the first a JSON Patch (RFC 6902)."
    )
    static let subscriber = Parameter<String>(
        description: .init(
            "subscriber",
            in: .query,
            .text(pattern: #"^[\s\S]{1,\#(nameCharactersMax)}$"#),
            summary: "The name by which actions may address this stream."
        ),
        allowed: "a name of 1 to \(nameCharactersMax) characters"
    ) { 1...nameCharactersMax ~= $0.unicodeScalars.count ? $0 : nil }
    static let lastEventID = Parameter.text("last_event_id", "Go on after this tag.")
    static let lastEventIDField = HeaderParameter(
        "Last-Event-ID",
        .string(),
        "Go on after this tag; has precedence over the parameter."
    )

    /// The parameters of all streams in which only the newest event counts.
    static let all: [any RouteParameter] = [mode, lastEventID, subscriber, lastEventIDField]

    /// Returns the last id that the reader has seen, from the header field or else from the query.
    static func lastEventID(of request: RequestContext) -> String? {
        request.exchange.header("last-event-id") ?? request[lastEventID]
    }
}
