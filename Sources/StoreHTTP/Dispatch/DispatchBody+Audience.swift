import StoreCore
import StorePatterns
import StoreWire

extension DispatchBody {
    /// Reads the members `recipients` and `emitter` of an action: the named streams that get the
    /// event for its change. Returns `nil` if all streams get it.
    static func audience(
        of action: JSONNode,
        at pointer: @autoclosure () -> String
    ) throws(Problem) -> Audience? {
        try addressees(of: action, at: pointer()).flatMap {
            Audience($0.recipients, emitter: $0.emitter?.text)
        }
    }

    /// The members `recipients` and `emitter` of an action whose event is not for all streams.
    private struct Addressees: Equatable {
        let recipients: Recipients
        let emitter: ExactText?
    }

    private static func addressees(
        of action: JSONNode,
        at pointer: @autoclosure () -> String
    ) throws(Problem) -> Addressees? {
        let emitter = action.member("emitter")
        guard emitter?.kind ?? .string == .string else {
            throw .invalidPayload(
                pointer: pointer() + "/emitter",
                expected: "a string, a stream's name"
            )
        }
        guard let recipients = action.member("recipients") else { return nil }
        let meant = try Self.recipients(recipients, at: pointer())
        if meant == .all { return nil }
        return Addressees(
            recipients: meant,
            emitter: emitter?.stringValue.map { ExactText($0) }
        )
    }

    /// Reads the audience of an array. The array makes one event, so all of its actions must have
    /// the same audience.
    static func audience(of actions: [JSONNode]) throws(Problem) -> Audience? {
        var first: Addressees?
        for (index, action) in actions.enumerated() {
            guard action.kind == .object else { continue }
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
