package import StoreCore
package import StoreWire

/// What the table of actions finds for a wire name: the registered action and, where the name has
/// one, the id of the module's instance, as `7` in `cards/7/liked`.
package struct FoundAction {
    /// What is registered, for all instances together.
    package let entry: RegisteredAction
    /// Where that stands in ``ActionTable/entries``.
    package let place: Int
    /// The id of the instance that the action is for; `nil` where the module has no instances.
    package let instance: String?
    /// The whole name, with the id: it goes into the journal.
    let wireName: String

    package var name: String { entry.name }
    package var module: String? { entry.module }
    /// What it is about: its module, or the instance in it, `cards/7`.
    package var subject: String? {
        entry.module.map { module in instance.map { "\(module)/\($0)" } ?? module }
    }
    package var access: ActionAccess { entry.access }

    /// Makes the action of its payload, for the instance; `nil` stands for no payload.
    package func decode(_ payload: JSONNode?, _ decoder: JSONDecoder) throws(JSONError)
        -> any Action
    {
        let action = try entry.decode(payload, decoder)
        guard let instance else { return action }
        return action.to(instance)
    }

    /// The action as the Core takes it, with the name and the payload for the journal. Secret
    /// members are in neither: they are removed first.
    package func member(
        _ payload: JSONNode?,
        meta: [UInt8]? = nil,
        _ decoder: JSONDecoder
    ) throws(JSONError) -> EnvelopeMember {
        guard let payload else {
            return EnvelopeMember(
                action: try decode(nil, decoder),
                type: wireName,
                payload: RegisteredType.emptyObject,
                meta: meta,
                number: place
            )
        }
        guard !entry.secrets.isEmpty, payload.hasMember(of: entry.secrets) else {
            return EnvelopeMember(
                action: try decode(payload, decoder),
                type: wireName,
                // An object of two bytes is `{}`, of which all share one array.
                payload: payload.byteRange.count == 2
                    ? RegisteredType.emptyObject : Array(payload.source),
                meta: meta,
                number: place
            )
        }
        // The action is made of the payload that is kept, so a replay makes the same one.
        let kept = payload.source(without: entry.secrets)
        return EnvelopeMember(
            action: try decode(JSONDocument(parsing: kept, limits: .unbounded).root, decoder),
            type: wireName,
            payload: kept,
            meta: meta,
            number: place
        )
    }
}
