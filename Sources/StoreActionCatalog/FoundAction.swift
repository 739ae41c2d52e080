package import StoreCore
package import StoreJSON

/// The result of a look-up in the table of actions: the registered action, and the instance's id if
/// the name has one. In `cards/7/liked`, the id is `7`.
package struct FoundAction {
    /// The registered action, which all instances share.
    package let entry: RegisteredAction
    /// The index of ``entry`` in ``ActionTable/entries``.
    package let entryIndex: Int
    /// The id of the instance that the action is for; `nil` if the module has no instances.
    package let instance: String?
    /// The whole wire name, with the id of the instance, as in the journal.
    let wireName: String

    package var nameWithoutInstance: String { entry.name }
    package var module: String? { entry.module }
    /// The module of the action, or the module and the instance, as in `cards/7`; `nil` if the
    /// action has no module.
    package var subject: String? {
        entry.module.map { module in instance.map { "\(module)/\($0)" } ?? module }
    }
    package var access: ActionAccess { entry.access }

    /// Decodes the action from its payload, and addresses the action to the instance. A `payload`
    /// of `nil` stands for no payload.
    package func decode(_ payload: JSONNode?, _ decoder: JSONDecoder) throws(JSONError)
        -> any Action
    {
        let action = try entry.decode(payload, decoder)
        guard let instance else { return action }
        return action.to(instance)
    }

    /// Returns the member of an envelope, with the name and the payload for the journal. First
    /// removes the secret members, so neither the action nor the payload has them.
    package func member(
        _ payload: JSONNode?,
        meta: [UInt8]? = nil,
        _ decoder: JSONDecoder
    ) throws(JSONError) -> EnvelopeMember {
        let action: any Action
        let storedPayload: [UInt8]
        if let payload, !entry.secretMembers.isEmpty,
            payload.hasMember(namedAnyOf: entry.secretMembers)
        {
            // Decodes the stored payload, so that a replay makes the same action.
            storedPayload = payload.json(withoutMembers: entry.secretMembers)
            action = try decode(
                JSONDocument(parsing: storedPayload, limits: .unbounded).root,
                decoder
            )
        } else {
            action = try decode(payload, decoder)
            // A payload of two bytes is the empty object `{}`. All empty payloads share one array.
            if let payload, payload.byteRange.count != 2 {
                storedPayload = Array(payload.source)
            } else {
                storedPayload = RegisteredType.emptyObject
            }
        }
        return EnvelopeMember(
            action: action,
            type: wireName,
            payload: storedPayload,
            meta: meta,
            typeIndex: entryIndex
        )
    }
}
