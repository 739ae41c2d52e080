package import StoreCore
package import StorePatterns
package import StoreWire

/// A reaction to notifications of one name.
package struct NotificationReaction: Sendable {
    package let name: String
    package let place: String
    package let read: @Sendable (JSONNode, JSONDecoder) throws(JSONError) -> (any Action)?

    package init?<State>(_ reaction: Reaction<State>) {
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
