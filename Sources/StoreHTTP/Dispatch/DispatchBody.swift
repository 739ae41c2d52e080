import StoreActionCatalog
import StoreCore
import StoreJSON
import StorePatterns
import StoreWire

/// The actions of a request body or a link, read and checked.
struct DispatchBody {
    /// True if the body was an array, even of a single action.
    let hasActionArray: Bool
    let members: [EnvelopeMember]
    /// The readers that get the event for the change; `nil` if all readers get it.
    let audience: Audience?

    /// Reads the action of a link.
    ///
    /// - Throws: 400 with the position of the error if the text is no JSON object. Also throws the
    ///   problems that the actions of a body can have.
    static func read(
        link: String,
        by reader: DispatchBodyReader,
        from sender: (any DispatchPermission)?,
        in trace: String?
    ) throws(Problem) -> DispatchBody {
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: Array(link.utf8), limits: reader.limits)
        } catch {
            throw .badQuery(
                "action",
                allowed: "an action as JSON: \(error.message) (at byte \(error.offset))"
            )
        }
        guard document.root.kind == .object else {
            throw .badQuery(
                "action",
                allowed: "one action as JSON, an object such as {\"type\":\"…\",\"payload\":{…}}"
            )
        }
        return try read(ActionObject(document.root), by: reader, from: sender, in: trace)
    }

    /// Reads the actions of a body. The function is no initializer, because an initializer would
    /// retain each argument.
    static func read(
        _ request: RequestContext,
        by reader: DispatchBodyReader,
        actionsMax batchMax: Int,
        from sender: (any DispatchPermission)?,
        in trace: String?
    ) throws(Problem) -> DispatchBody {
        let root = try request.bodyDocument(reader.limits).root
        switch root.kind {
        case .object:
            return try read(ActionObject(root), by: reader, from: sender, in: trace)
        case .array:
            guard 1...batchMax ~= root.count else {
                throw .badRequest(
                    "The array has \(root.count) actions; allowed are 1...\(batchMax)."
                )
            }
            var actions: [ActionObject] = []
            actions.reserveCapacity(root.count)
            root.forEachElement { actions.append(ActionObject($0)) }
            let audience = try audience(of: actions)
            var members: [EnvelopeMember] = []
            members.reserveCapacity(actions.count)
            for action in actions {
                guard action.node.kind == .object else {
                    throw .invalidPayload(
                        pointer: "/\(members.count)",
                        expected: "an action, an object such as {\"type\":\"…\",\"payload\":{…}}"
                    )
                }
                members.append(try reader.member(action, at: members.count, by: sender, in: trace))
            }
            return DispatchBody(hasActionArray: true, members: members, audience: audience)
        default:
            throw .badRequest(
                "The body is neither an action, {\"type\":\"…\",\"payload\":{…}}, nor an "
                    + "array of 1 to \(batchMax) of them."
            )
        }
    }

    private static func read(
        _ action: ActionObject,
        by reader: DispatchBodyReader,
        from sender: (any DispatchPermission)?,
        in trace: String?
    ) throws(Problem) -> DispatchBody {
        let audience = try audience(of: action, at: "")
        let members = [try reader.member(action, by: sender, in: trace)]
        return DispatchBody(hasActionArray: false, members: members, audience: audience)
    }
}

// Audiences

extension DispatchBody {
    /// Reads the members `recipients` and `emitter` of an action. They name the streams that get
    /// the event for the action's change. Returns `nil` if all streams get the event.
    static func audience(
        of action: ActionObject,
        at pointer: @autoclosure () -> String
    ) throws(Problem) -> Audience? {
        try addressees(of: action, at: pointer()).flatMap {
            Audience($0.recipients, emitter: $0.emitter?.text)
        }
    }

    /// The members `recipients` and `emitter` of an action whose event is not for all streams.
    private struct AudienceMembers: Equatable {
        let recipients: Recipients
        let emitter: ExactText?
    }

    private static func addressees(
        of action: ActionObject,
        at pointer: @autoclosure () -> String
    ) throws(Problem) -> AudienceMembers? {
        let emitter = action.emitter
        if let emitter, emitter.kind != .string {
            throw .invalidPayload(
                pointer: pointer() + "/emitter",
                expected: "a string, a stream's name"
            )
        }
        guard let recipients = action.recipients else { return nil }
        let meant = try Self.recipients(recipients, at: pointer())
        if meant == .all { return nil }
        return AudienceMembers(
            recipients: meant,
            emitter: emitter?.stringValue.map { ExactText($0) }
        )
    }

    /// Reads the audience of an array. All actions of an array must have the same audience, because
    /// the array makes one event.
    static func audience(of actions: [ActionObject]) throws(Problem) -> Audience? {
        var first: AudienceMembers?
        for (index, action) in actions.enumerated() {
            guard action.node.kind == .object else { continue }
            let addressees = try addressees(of: action, at: "/\(index)")
            if index == 0 { first = addressees }
            guard addressees == first else {
                throw .invalidPayload(
                    pointer: "/\(index)/recipients",
                    expected: "the recipients of the array's first action"
                )
            }
        }
        return first.flatMap { Audience($0.recipients, emitter: $0.emitter?.text) }
    }

    private static func recipients(
        _ node: JSONNode,
        at pointer: String
    ) throws(Problem) -> Recipients {
        switch node.stringValue {
        case "all"?: return .all
        case "emitter"?: return .emitter
        case "allExcludingEmitter"?: return .allExcludingEmitter
        default: break
        }
        guard let names = node.member("authorized"), names.kind == .array,
            names.elements.allSatisfy({ $0.kind == .string })
        else {
            throw .invalidPayload(
                pointer: pointer + "/recipients",
                expected: "\"all\", \"emitter\", \"allExcludingEmitter\" or "
                    + "{\"authorized\": [names of streams]}"
            )
        }
        return .authorized(
            to: Set(names.elements.compactMap { $0.stringValue.map { ExactText($0) } })
        )
    }
}
