import StoreCore
import Wire

extension DispatchBody {
    /// Who is told of what an action changes, as its members `recipients` and `emitter` say.
    static func audience(
        of action: JSONNode,
        at pointer: @autoclosure () -> String
    ) throws(Problem) -> Audience? {
        let emitter = action.member("emitter")
        guard emitter?.kind ?? .string == .string else {
            throw .invalidPayload(
                pointer: pointer() + "/emitter",
                expected: "a string, a stream's name"
            )
        }
        guard let recipients = action.member("recipients") else { return nil }
        return Audience(
            try Self.recipients(recipients, at: pointer()),
            emitter: emitter?.stringValue
        )
    }

    /// The audience of an array, which is told of as a whole: its members have to agree.
    static func audience(of actions: [JSONNode]) throws(Problem) -> Audience? {
        var first: Audience?
        for (index, action) in actions.enumerated() {
            guard action.kind == .object else { continue }
            let audience = try audience(of: action, at: "/\(index)")
            if index == 0 { first = audience }
            guard audience == first else {
                throw .invalidPayload(
                    pointer: "/\(index)/recipients",
                    expected: "the recipients of the array's first action"
                )
            }
        }
        return first
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
