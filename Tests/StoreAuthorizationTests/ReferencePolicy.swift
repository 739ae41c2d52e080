@testable import StoreAuthorization

/// A policy that a test makes. Its answers come from the texts of its grants alone.
struct ReferencePolicy {
    struct Grant {
        let type: String
        /// Pointers, and the JSON that they must lead to.
        let conditions: [(pointer: String, json: String)]
    }

    var read: [String] = []
    var dispatch: [Grant] = []
    var call: [String] = []
    var use: [String] = []

    var json: String {
        func list(_ texts: [String]) -> String {
            "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        }
        let grants = dispatch.map { grant in
            if grant.conditions.isEmpty { return "\"\(grant.type)\"" }
            let conditions = grant.conditions.map { "\"\($0.pointer)\": \($0.json)" }
            return
                "{\"type\": \"\(grant.type)\", \"where\": {\(conditions.joined(separator: ","))}}"
        }
        return """
            {"roles": {"r": {"read": \(list(read)), "dispatch": [\(grants.joined(separator: ","))],
            "call": \(list(call)), "use": \(list(use))}}}
            """
    }

    func sees(member: String) -> Bool {
        read.contains("*") || read.contains("/*") || read.contains("/" + member)
    }

    func sees(view: String) -> Bool {
        read.contains("*") || read.contains("views/*") || read.contains("views/" + view)
    }

    func calls(_ kind: String, _ name: String) -> Bool {
        call.contains("*") || call.contains(kind + "/*") || call.contains(kind + "/" + name)
    }

    func uses(_ group: String) -> Bool { use.contains("*") || use.contains(group) }

    /// Returns true if the principal may dispatch the action. `payload` has the JSON of the
    /// payload's members by their pointers.
    func may(_ action: PolicyAction, _ payload: [String: String]?, as principal: String) -> Bool {
        guard action.isForClients else { return false }
        return dispatch.contains { grant in
            guard
                ["*", action.name, (action.module ?? "") + "/*"].contains(grant.type)
            else { return false }
            return grant.conditions.allSatisfy { condition in
                let wanted =
                    condition.json == "\"$principal\"" ? "\"\(principal)\"" : condition.json
                return payload?[condition.pointer] == wanted
            }
        }
    }
}

extension ReferencePolicy {
    static let values = ["1", "\"1\"", "true", "null", "\"ann\"", "[1]", "{\"a\":1}"]
    static let members = ["/text", "/by"]

    /// Returns a random policy for the store of these tests.
    static func random(_ random: inout some RandomNumberGenerator) -> ReferencePolicy {
        func some(_ texts: [String]) -> [String] {
            texts.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        }
        let members = ["counter", "todos", "cards"].map { "/" + $0 }
        var policy = ReferencePolicy()
        policy.read = some(members + yard.views.map { "views/" + $0 } + ["log", "/*", "views/*"])
        if Int.random(in: 0..<8, using: &random) == 0 { policy.read.append("*") }
        policy.call = some(
            yard.useCases.map { "usecases/" + $0 } + yard.notifications.map { "notify/" + $0 }
                + ["usecases/*", "notify/*"]
        )
        if Int.random(in: 0..<8, using: &random) == 0 { policy.call.append("*") }
        policy.use = some(RouteGroupName.allCases.map(\.rawValue))
        if Int.random(in: 0..<8, using: &random) == 0 { policy.use.append("*") }
        let plain = [
            "counter/increased", "AddItem", "todos/added", "counter/*", "Reset", "cards/*",
        ]
        policy.dispatch = some(plain).map { Grant(type: $0, conditions: []) }
        if Int.random(in: 0..<8, using: &random) == 0 {
            policy.dispatch.append(Grant(type: "*", conditions: []))
        }
        for type in ["todos/added", "todos/*", "cards/{id}/liked"]
        where Bool.random(using: &random) {
            let conditions = Self.members.filter { _ in Bool.random(using: &random) }.map {
                ($0, (values + ["\"$principal\""]).randomElement(using: &random) ?? "1")
            }
            if conditions.isEmpty { continue }
            policy.dispatch.insert(Grant(type: type, conditions: conditions), at: 0)
        }
        return policy
    }
}
