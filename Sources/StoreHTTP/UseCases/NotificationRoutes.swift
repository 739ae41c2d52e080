import StoreActionCatalog
import StoreAdmission
package import StoreCore
import StoreHTTPTransport
package import StoreJSON
import StoreJSONSchema
package import StorePatterns
import StoreWire

/// `POST /notify/<name>`: notifies the program of an outside event. The program's reactions make
/// actions from the notification.
struct NotificationRoutes: RouteGroup {
    let store: Store
    let reactions: [NotificationReaction]

    private var limits: JSONLimits { store.bounds.json }

    var routes: [Route] {
        Set(reactions.map(\.notificationName)).sorted().map { name in
            .changing(
                .post,
                store.links.notification(name),
                "notify." + name,
                "Notify the program of \(name). The program's reactions dispatch actions.",
                needs: .notification(name),
                parameters: [HeaderParameter.preferWait],
                body: .optionalJSON(.any),
                answers: ClientRequestTicket.answers,
                problems: ClientRequestTicket.problems + [.invalidPayload]
            ) { request throws(Problem) in
                try notify(name, request)
            }
        }
    }

    private func notify(_ name: String, _ request: RequestContext) throws(Problem) {
        guard request.hasNoBody || request.exchange.isJSON else { throw .unsupportedMediaType() }
        let document: JSONDocument
        do {
            document = try JSONDocument(
                parsing: request.hasNoBody
                    ? Array("{}".utf8) : request.exchange.withBody { Array($0) },
                limits: limits
            )
        } catch {
            throw Problem(error, bytesMax: limits.bytesMax)
        }
        try ClientRequestTicket.requireNoCondition(request)
        var actions: [(any Action, String)] = []
        for reaction in reactions where reaction.notificationName.isSame(as: name) {
            do {
                if let action = try reaction.makeAction(document.root, JSONDecoder(limits: limits))
                {
                    actions.append((action, reaction.sourcePlace))
                }
            } catch {
                throw .unfitValue(error, for: "notify/\(name)", store.logger)
            }
        }
        try request.environment.web.limits?.take(.actions, of: request.exchange)
        try ClientRequestTicket(request, store, by: request.caller(), reactionActions: actions)
            .offer(ClientRequest(notification: name))
    }
}

/// A reaction to the notifications with one name.
package struct NotificationReaction: Sendable {
    package let notificationName: String
    package let sourcePlace: String
    package let makeAction: @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> (any Action)?

    package init?<State>(_ reaction: Reaction<State>) {
        guard case .notification(let name, let payload, let react) = reaction.trigger else {
            return nil
        }
        self.notificationName = name
        sourcePlace = reaction.sourceLocation
        makeAction = { node, decoder throws(JSONError) in
            react(try decoder.decode(payload, at: node, pointerPrefix: ""))
        }
    }
}
