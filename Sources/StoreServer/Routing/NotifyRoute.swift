import HTTPTransport
import StoreCore
import Wire

/// `POST /notify/<name>`: something outside has happened, of which the program makes an action or not.
struct NotifyRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["POST"]
    let store: Store<State>
    let limits: JSONLimits
    let name: String
    let reactions: [NotificationReaction]

    func admit(_ request: HTTPExchange) -> Problem? { RequestRules.crossOrigin(request) }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        let body = exchange.withBody { Array($0) }
        if !body.isEmpty, exchange.header("content-type").map(MediaType.isJSON) != true {
            throw .unsupportedMediaType()
        }
        let document: JSONDocument
        do {
            document = try JSONDocument(
                parsing: body.isEmpty ? Array("{}".utf8) : body,
                limits: limits
            )
        } catch {
            throw Problem(error, bytesMax: limits.bytesMax)
        }
        var actions: [(any Action, String)] = []
        for reaction in reactions {
            do {
                if let action = try reaction.read(document.root, JSONDecoder(limits: limits)) {
                    actions.append((action, reaction.place))
                }
            } catch {
                throw .unfit(error, for: "notify/\(name)")
            }
        }
        let sessions = try store.sessions(of: exchange)
        WorkTicket(exchange, store, from: sessions, following: actions)
            .offer(ClientRequest(notification: name))
    }
}

/// A reaction to notifications of one name.
struct NotificationReaction: Sendable {
    let name: String
    let place: String
    let read: @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> (any Action)?

    init?<State>(_ reaction: Reaction<State>) {
        guard case .notification(let name, let payload, let react) = reaction.trigger else {
            return nil
        }
        self.name = name
        place = reaction.place
        read = Self.reader(of: payload, react)
    }

    private static func reader<Payload: Decodable & Sendable>(
        of payload: Payload.Type,
        _ react: @escaping @Sendable (any Sendable) -> (any Action)?
    ) -> @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> (any Action)? {
        { node, decoder throws(JSONError) in
            react(try decoder.decode(Payload.self, at: node, pointerPrefix: ""))
        }
    }
}
