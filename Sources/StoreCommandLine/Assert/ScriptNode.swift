import StoreJSON
import StoreWire

/// A JSON value of a script, with the pointer to the value.
struct ScriptNode {
    let node: JSONNode
    let pointer: JSONPointer

    init(_ node: JSONNode, at pointer: JSONPointer = .root) {
        self.node = node
        self.pointer = pointer
    }

    func error(_ message: String) -> AssertScriptError { AssertScriptError(pointer, message) }

    subscript(name: String) -> ScriptNode? {
        node.member(named: name).map { ScriptNode($0, at: pointer.appending(name)) }
    }

    /// Refuses a value that is not an object, and an object with a member that `allowed` does not
    /// name.
    func check(members allowed: [String]) throws(AssertScriptError) {
        for (name, _) in try object().node.members where !allowed.contains(name) {
            let hint = EditDistance.nearest(to: name, in: allowed).map { "; did you mean '\($0)'?" }
            throw AssertScriptError(
                pointer.appending(name),
                "no member has this name; allowed are \(allowed.joined(separator: ", "))"
                    + (hint ?? "")
            )
        }
    }

    func text() throws(AssertScriptError) -> String {
        guard let text = node.stringValue, !text.isEmpty else {
            throw error("expected a string that is not empty")
        }
        return text
    }

    func bool() throws(AssertScriptError) -> Bool {
        switch node.kind {
        case .true: return true
        case .false: return false
        default: throw error("expected true or false")
        }
    }

    func elements() throws(AssertScriptError) -> [ScriptNode] {
        guard node.kind == .array else { throw error("expected an array") }
        return node.elements.enumerated().map { index, element in
            ScriptNode(element, at: pointer.appending(String(index)))
        }
    }

    func object() throws(AssertScriptError) -> ScriptNode {
        guard node.kind == .object else { throw error("expected an object") }
        return self
    }
}
