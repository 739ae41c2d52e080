import StoreJSON

@testable import StoreAuthorization

/// A store with several names of each kind.
let yard = PolicyVocabulary(
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

/// A store whose state is one piece.
let piece = PolicyVocabulary(
    members: [],
    views: [],
    actions: [PolicyAction("Increase", payloadMembers: [])],
    useCases: [],
    notifications: []
)

extension PolicyVocabulary {
    /// Returns the index of an action.
    func place(of name: String) -> Int { actions.firstIndex { $0.name == name } ?? -1 }
}

extension Policy {
    init(_ text: String, in world: PolicyVocabulary = yard) throws(PolicyError) {
        try self.init(parsing: Array(text.utf8), in: world)
    }
}

extension Role {
    /// True if the role may dispatch an action of a store.
    func may(
        _ action: String,
        _ payload: String? = nil,
        as principal: String = "ann",
        in world: PolicyVocabulary = yard
    ) throws -> Bool {
        let document = try payload.map {
            try JSONDocument(parsing: Array($0.utf8), limits: .unbounded)
        }
        return denial(
            ofActionAt: world.place(of: action),
            action,
            document?.root,
            principal: principal
        ) == nil
    }
}

/// Returns the role `r` of a policy with these lists.
func role(_ lists: String, in world: PolicyVocabulary = yard) throws -> Role? {
    try Policy(#"{"roles": {"r": {\#(lists)}}}"#, in: world).role("r")
}
