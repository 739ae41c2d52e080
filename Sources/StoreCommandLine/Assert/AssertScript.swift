import StoreJSON
import StoreTexts
import StoreWire

/// The script of `store-server assert`: steps, each with a request and the expected result.
struct AssertScript {
    /// The name of the script, for the last line of the output.
    let name: String
    let steps: [Step]

    struct Step {
        /// The title of the step in the output: the name from the script, or a description of the
        /// request.
        let title: String
        let sender: Sender
        let request: Request
        let expectation: Expectation
    }

    struct Sender: Equatable {
        /// The principal, such as `author/u1`; `nil` if the step has the credential of the whole
        /// script.
        var principal: String?
        /// The name of the session in the script; `nil` if the step has no session.
        var session: String?
    }

    /// The principals of the steps without duplicates, in the order of the steps.
    var principals: [String] {
        steps.compactMap(\.sender.principal).reduce(into: []) { found, principal in
            if !found.contains(principal) { found.append(principal) }
        }
    }

    /// A `POST` with a JSON body.
    struct Request {
        let path: String
        let body: [UInt8]
    }

    struct Expectation {
        /// The expected changes of the state, in the order of the script.
        var changes: [(pointer: JSONPointer, value: JSONTree)] = []
        /// The wire names of the actions that effects, presenters and reactions have to dispatch.
        var consequences: [String] = []
        var answer = Answer.success
        /// True if a change or an action that the script does not state makes the step fail.
        var isExhaustive = true
    }

    enum Answer: Equatable {
        case success
        /// A refusal of the reducer with this reason.
        case refused(String)
        case problem(String)
    }
}

/// The reason why a script can't be read: the pointer to the mistake, and the values that are
/// allowed there.
struct AssertScriptError: Error, CustomStringConvertible {
    let description: String

    init(_ pointer: JSONPointer, _ message: String) {
        description = pointer == .root ? message : "\(pointer): \(message)"
    }
}

// Reading

extension AssertScript {
    /// The maximum size of a script, in bytes.
    static let bytesMax = 64 << 20

    /// Reads a script. The error has the pointer to the first mistake.
    init(parsing bytes: [UInt8]) throws(AssertScriptError) {
        let document: JSONDocument
        do {
            document = try JSONDocument(
                parsing: bytes,
                limits: JSONLimits(bytesMax: Self.bytesMax, depthMax: JSONLimits.depthCeiling)
            )
        } catch { throw AssertScriptError(.root, "byte \(error.offset): \(error.message)") }
        let root = ScriptNode(document.root)
        try root.check(members: ["name", "exhaustive", "steps"])
        let isExhaustive = try root["exhaustive"]?.bool() ?? true
        guard let list = root["steps"] else {
            throw root.error("it needs the member steps, an array")
        }
        let nodes = try list.elements()
        guard !nodes.isEmpty else { throw list.error("it needs at least one step") }
        var steps: [Step] = []
        for node in nodes { steps.append(try Step(node, isExhaustive: isExhaustive)) }
        self.steps = steps
        name = try root["name"]?.text() ?? "the script"
    }
}

extension AssertScript.Step {
    /// The members that name the request of a step. `content` is the further member that has the
    /// body of the request; `nil` if there is none.
    private static let requestMembers: [(name: String, content: String?)] = [
        ("dispatch", nil), ("ui", "action"), ("usecase", "input"), ("notify", "payload"),
    ]

    fileprivate init(_ node: ScriptNode, isExhaustive: Bool) throws(AssertScriptError) {
        let node = try node.object()
        let acts = Self.requestMembers.compactMap { act in
            node[act.name].map { (act.name, $0, act.content) }
        }
        guard let (act, what, content) = acts.first, acts.count == 1 else {
            let names = Self.requestMembers.map(\.name).joined(separator: ", ")
            throw node.error("a step has exactly one of the members \(names)")
        }
        let requestAndTitle: (request: AssertScript.Request, title: String)
        switch act {
        case "dispatch": requestAndTitle = try Self.dispatchRequest(what)
        case "ui": requestAndTitle = try Self.uiRequest(what, node)
        default:
            requestAndTitle = try Self.postRequest(
                kind: act,
                path: what,
                body: content.flatMap { node[$0] }
            )
        }
        try node.check(
            members: [
                act, "name", "as", "session", "expect", "receive", "refused", "problem",
                "exhaustive",
            ] + (content.map { [$0] } ?? [])
        )
        sender = AssertScript.Sender(
            principal: try node["as"].map(Self.principal),
            session: try node["session"]?.text()
        )
        request = requestAndTitle.request
        title = try node["name"]?.text() ?? requestAndTitle.title
        expectation = try AssertScript.Expectation(node, isExhaustive: isExhaustive)
    }

    /// Returns the text of a principal. Throws if the text is not a role, a slash and a name.
    private static func principal(_ node: ScriptNode) throws(AssertScriptError) -> String {
        let text = try node.text()
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts.contains(where: \.isEmpty) else {
            throw node.error("expected ROLE/NAME, such as author/u1")
        }
        return text
    }

    private static func dispatchRequest(
        _ what: ScriptNode
    ) throws(AssertScriptError) -> (AssertScript.Request, String) {
        let request = AssertScript.Request(path: "/dispatch", body: try actionsJSON(what))
        return (request, "dispatch " + actionTypesText(what))
    }

    private static func uiRequest(
        _ module: ScriptNode,
        _ step: ScriptNode
    ) throws(AssertScriptError) -> (AssertScript.Request, String) {
        guard let action = step["action"] else {
            throw step.error("an action of a view needs the member action")
        }
        let name = try module.text()
        let path = "/modules/\(PercentEncoding.encode(name))/ui"
        return (
            AssertScript.Request(path: path, body: try actionsJSON(action)),
            "ui \(name) " + actionTypesText(action)
        )
    }

    private static func postRequest(
        kind act: String,
        path what: ScriptNode,
        body: ScriptNode?
    ) throws(AssertScriptError) -> (AssertScript.Request, String) {
        let name = try what.text()
        let path = name.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode($0) }.joined(separator: "/")
        let resource = act == "usecase" ? "usecases" : act
        let source = try body?.object().node.source
        let bytes = source.map { Array($0) } ?? Array("{}".utf8)
        return (AssertScript.Request(path: "/\(resource)/\(path)", body: bytes), "\(act) \(name)")
    }

    /// Returns the JSON of an action or of an array of actions, as the script has it.
    private static func actionsJSON(_ what: ScriptNode) throws(AssertScriptError) -> [UInt8] {
        guard what.node.kind == .object || what.node.kind == .array else {
            throw what.error("expected an action, or an array of actions")
        }
        return Array(what.node.source)
    }

    private static func actionTypesText(_ what: ScriptNode) -> String {
        let shown = 3
        let actions = what.node.kind == .array ? what.node.elements : [what.node]
        let names = actions.prefix(shown).map { $0.member(named: "type")?.stringValue ?? "?" }
        return names.joined(separator: ", ") + (actions.count > shown ? ", …" : "")
    }
}

extension AssertScript.Expectation {
    fileprivate init(_ step: ScriptNode, isExhaustive: Bool) throws(AssertScriptError) {
        if let expect = step["expect"] {
            for (text, value) in try expect.object().node.members {
                guard let pointer = JSONPointer(text) else {
                    throw AssertScriptError(
                        expect.pointer.appending(text),
                        "the name is no JSON Pointer (RFC 6901), such as /counter/counter"
                    )
                }
                changes.append((pointer, JSONTree(value)))
            }
        }
        for name in try step["receive"]?.elements() ?? [] { consequences.append(try name.text()) }
        if let refused = step["refused"] {
            guard step["problem"] == nil else {
                throw refused.error("a step states refused or problem, not both")
            }
            answer = .refused(try refused.text())
        } else if let problem = step["problem"] {
            let slug = try problem.text()
            guard ProblemSlug(rawValue: slug) != nil else {
                let nearest = EditDistance.nearest(
                    to: slug,
                    in: ProblemSlug.allCases.map(\.rawValue)
                )
                let hint = nearest.map { "; did you mean '\($0)'?" }
                throw problem.error("no problem has the name '\(slug)'" + (hint ?? ""))
            }
            answer = .problem(slug)
        }
        self.isExhaustive = try step["exhaustive"]?.bool() ?? isExhaustive
    }
}
