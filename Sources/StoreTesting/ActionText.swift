import StoreCore
import StoreJSON

/// The texts of actions, as in a program's source: `Counter.Action.stepChanged(to: 5)`.
///
/// A text comes from the action's JSON, and so has the names and values of the wire. Only the name
/// of an enum's case comes from the source.
enum ActionText {
    static func of(_ action: any Action) -> String {
        switch action {
        case let addressed as AddressedAction:
            return of(addressed.action) + ".to(\(JSONText.quoted(addressed.instance)))"
        case let described as any DescribedAction: return described.text
        case let encodable as any Action & Encodable:
            let name = TypeText.of(type(of: action))
            return of(encodable, named: name, isEnum: action is any ModuleAction)
        default: return TypeText.of(type(of: action))
        }
    }

    static func of(_ value: any Encodable, named name: String, isEnum: Bool) -> String {
        guard let json = try? JSONEncoder().encode(value),
            let root = try? JSONDocument(parsing: json, limits: JSONLimits()).root
        else { return name }
        if isEnum, let text = root.stringValue { return "\(name).\(caseName(of: value) ?? text)" }
        if isEnum, root.kind == .object, root.count == 1, let choice = root.members.first {
            return "\(name).\(caseName(of: value) ?? choice.name)"
                + arguments(choice.value, orNothing: true)
        }
        return name + arguments(root, orNothing: false)
    }

    /// Returns the name of an enum's case in the program; `nil` if the enum has its own
    /// description.
    private static func caseName(of value: any Encodable) -> String? {
        guard !(value is any CustomStringConvertible), !(value is any CustomDebugStringConvertible)
        else { return nil }
        return String("\(value)".prefix { $0 != "(" })
    }

    private static func arguments(_ node: JSONNode, orNothing: Bool) -> String {
        guard node.kind == .object else { return "(\(node.sourceText))" }
        let members = node.members
        if members.isEmpty { return orNothing ? "" : "()" }
        let texts = members.map { name, value in
            // The compiler calls values without a label `_0`, `_1` and so on.
            name.first == "_" && name.dropFirst().allSatisfy(\.isNumber)
                ? value.sourceText : "\(name): \(value.sourceText)"
        }
        return "(" + texts.joined(separator: ", ") + ")"
    }
}

/// The texts of types, as in a program's source, without the name of the Swift module.
enum TypeText {
    static func of(_ type: any Any.Type) -> String {
        let parts = String(reflecting: type).split(separator: ".", omittingEmptySubsequences: false)
        // The name of a type within a function has a component that only the compiler can read.
        let readable = parts.dropFirst().filter { !$0.contains("(unknown context") }
        return readable.joined(separator: ".")
    }
}

/// An action of the library that supplies its own text.
private protocol DescribedAction { var text: String { get } }

extension ModuleStart: DescribedAction {
    fileprivate var text: String {
        guard M.Start.self != NoFields.self else { return "\(TypeText.of(M.self)).start" }
        let payload = ActionText.of(start, named: "", isEnum: false)
        return "\(TypeText.of(M.self)).start(.init\(payload))"
    }
}

extension ModuleStop: DescribedAction {
    fileprivate var text: String { "\(TypeText.of(M.self)).stop" }
}
