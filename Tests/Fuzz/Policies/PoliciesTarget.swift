import StoreAuthorization
import StoreJSON

/// A policy file and, after a NUL, the payload of an action. A file is refused with the reason, or
/// gives each role exactly the permissions in its grants. With one grant less, no permission is
/// new.
struct PoliciesTarget: FuzzTarget {
    private static let principal = "ann"

    func run(_ bytes: UnsafeRawBufferPointer) {
        let (file, rest) = halves(of: bytes)
        let payload = try? JSONDocument(parsing: rest, limits: JSONLimits())
        guard let policy = read(file) else { return }
        guard let document = try? JSONDocument(parsing: file, limits: .unbounded),
            let roles = document.root.member("roles")
        else { fatalError("A policy that is taken is a document with roles.") }
        for (name, node) in roles.members {
            guard let role = policy.role(name) else { fatalError("\(name) is not there.") }
            let plain = PlainRole(JSONTree(node))
            compare(role, plain, payload?.root)
            explain(file, name, role, payload.map { _ in rest })
            for smaller in plain.withOneLess {
                let text = #"{"roles":{"r":"# + smaller.json.text + "}}"
                guard let less = read(Array(text.utf8))?.role("r") else {
                    fatalError("A policy with one grant less is refused: \(text)")
                }
                let may = powers(of: less, payload?.root)
                let before = powers(of: role, payload?.root)
                hold(
                    zip(may, before).allSatisfy { !$0 || $1 },
                    "With one grant less the role may do more: \(text)"
                )
            }
        }
    }

    private func read(_ file: [UInt8]) -> Policy? {
        do throws(PolicyError) {
            return try Policy(parsing: file, in: .yard)
        } catch {
            hold(
                1...PolicyError.faultsMax ~= error.faults.count
                    && error.faults.allSatisfy { !$0.message.isEmpty },
                "A refusal has words."
            )
            return nil
        }
    }

    /// Returns the answers to all questions about a role, in a fixed order.
    private func powers(of role: Role, _ payload: JSONNode?) -> [Bool] {
        let world = PolicyVocabulary.yard
        var powers = world.members.map(role.sees(member:))
        powers += world.views.map(role.sees(view:))
        powers += world.useCases.map(role.mayCall(useCase:))
        powers += world.notifications.map(role.mayNotify)
        powers += RouteGroupName.allCases.map(role.mayUse)
        powers += world.actions.indices.map { place in
            let name = world.actions[place].name
            return role.denial(ofActionAt: place, name, payload, principal: Self.principal) == nil
        }
        return powers + [role.readsLog, role.seesEverything, role.seesAllSessions]
    }

    private func compare(_ role: Role, _ plain: PlainRole, _ payload: JSONNode?) {
        let world = PolicyVocabulary.yard
        var expected = world.members.map(plain.sees(member:))
        expected += world.views.map(plain.sees(view:))
        expected += world.useCases.map { plain.calls("usecases", $0) }
        expected += world.notifications.map { plain.calls("notify", $0) }
        expected += RouteGroupName.allCases.map { plain.uses($0.rawValue) }
        let tree = payload.map { JSONTree($0) }
        expected += world.actions.map { plain.may($0, tree, as: Self.principal) }
        expected += [
            plain.has("read", "*") || plain.has("read", "log"),
            world.members.allSatisfy(plain.sees(member:)), plain.uses("operate"),
        ]
        hold(
            powers(of: role, payload) == expected,
            "The role may do other things than its grants say: \(plain.json.text)"
        )
    }

    private func explain(_ bytes: [UInt8], _ name: String, _ role: Role, _ payload: [UInt8]?) {
        guard let file = try? PolicyFile(parsing: bytes, for: [.yard]) else { return }
        let explainer = PolicyExplainer(file, in: .yard)
        let document = payload.flatMap { try? JSONDocument(parsing: $0, limits: .unbounded) }
        for (place, action) in PolicyVocabulary.yard.actions.enumerated() {
            let question = PolicyQuestion.action(
                action.name,
                payload: payload,
                principal: Self.principal
            )
            guard let answer = try? explainer.explain(question, as: name) else {
                fatalError("There is no explanation of \(action.name).")
            }
            let denial = role.denial(
                ofActionAt: place,
                action.name,
                document?.root,
                principal: Self.principal
            )
            hold(answer.isAllowed == (denial == nil), "The explanation is another: \(answer.text)")
        }
    }
}

extension PolicyVocabulary {
    /// A store with several names of each kind.
    static let yard = PolicyVocabulary(
        members: ["counter", "todos", "cards", "a/b"],
        views: ["list", "items"],
        actions: [
            PolicyAction("counter/increased", module: "counter", payloadMembers: []),
            PolicyAction("todos/added", module: "todos", payloadMembers: ["text", "by"]),
            PolicyAction("AddItem", module: "todos", payloadMembers: ["text"]),
            PolicyAction("cards/{id}/liked", module: "cards", payloadMembers: nil),
            PolicyAction("todos/synced", module: "todos", isForClients: false, payloadMembers: []),
            PolicyAction("Reset", payloadMembers: ["all", "code"], secrets: ["code"]),
        ],
        useCases: ["login/login", "cards/{id}/renamed"],
        notifications: ["paid", "woken"]
    )
}
