import StoreJSON
import StoreTexts
import StoreWire

// The explanations for a role that the policy has.

extension PolicyExplainer {
    /// Explains whether a role may use a route.
    func explainRoute(
        _ need: RouteNeed,
        _ request: String,
        _ role: Role,
        _ grants: RoleGrants
    ) -> PolicyExplanation {
        switch need {
        case .nothing: return .allowed("\(request) is open to all roles, without a grant")
        case .state: return explainState(request, role, grants)
        case .dispatch: return explainDispatch(request, grants)
        case .views:
            guard let grant = effectiveGrants(of: .view, in: grants).first else {
                return denial(of: request, "a view", in: "read", of: grants)
            }
            return .allowed("\(request) by \(text(grant))")
        case .member(let name):
            return explainNamedGrant(.member, name, request, grants, isHidden: true)
        case .view(let name): return explainNamedGrant(.view, name, request, grants, isHidden: true)
        case .log: return explainNamedGrant(.log, PolicyVocabulary.logName, request, grants)
        case .useCase(let path): return explainNamedGrant(.useCase, path, request, grants)
        case .notification(let name): return explainNamedGrant(.notification, name, request, grants)
        case .group(let group): return explainNamedGrant(.group, group.rawValue, request, grants)
        }
    }

    /// Explains whether a role has a grant of the thing with this name. `isHidden` is true if the
    /// server answers 404 without such a grant.
    private func explainNamedGrant(
        _ kind: GrantedKind,
        _ name: String,
        _ request: String,
        _ grants: RoleGrants,
        isHidden: Bool = false
    ) -> PolicyExplanation {
        if let grant = grants.grant(of: kind, name) {
            return .allowed("\(request) by \(text(grant))")
        }
        let all = kind.prefix.isEmpty ? [] : [kind.prefix + "*"]
        let wanted =
            ([kind.grantText(for: name)] + all).map(quoted).joined(separator: ", ") + " or \"*\""
        let list = grants.list(of: kind).name
        return denial(of: request, wanted, in: list, of: grants, isHidden: isHidden)
    }

    /// Explains whether a role may dispatch an action with a payload.
    func explainAction(
        _ action: String,
        at index: Int,
        _ payload: JSONNode?,
        of principal: String,
        _ grants: RoleGrants
    ) -> PolicyExplanation {
        let known = vocabulary.actions[index]
        let shown = quoted(action)
        guard known.isForClients else {
            return .denied("\(shown) is dispatched by the program alone, whatever a policy grants")
        }
        let covering = grants.dispatchGrants.filter { $0.scope.actions.covers(known) }
        guard !covering.isEmpty else {
            let module = known.module.map { ", \(quoted($0 + "/*"))" } ?? ""
            let wanted = "\(quoted(known.name))\(module) or \"*\""
            return denial(of: shown, wanted, in: "dispatch", of: grants)
        }
        var lines = ["\(shown) is granted, but not with this payload"]
        for grant in covering {
            let failed = grant.scope.conditions.filter { !$0.holds(for: payload, of: principal) }
            if failed.isEmpty { return .allowed("\(shown) by \(text(grant))") }
            lines.append("  \(text(grant))")
            lines += failed.map { "    " + $0.explanation(for: payload, of: principal) }
        }
        return .denied(lines.joined(separator: "\n"))
    }

    private func explainState(
        _ request: String,
        _ role: Role,
        _ grants: RoleGrants
    ) -> PolicyExplanation {
        if let whole = grants.grant(ofAll: .member) {
            return .allowed("\(request) shows all of the state, by \(text(whole))")
        }
        let seen = effectiveGrants(of: .member, in: grants)
        guard !seen.isEmpty else {
            return denial(of: request, "a member of the state", in: "read", of: grants)
        }
        var lines = ["\(request) shows a part of the state"]
        lines += seen.map { "  \(text($0))" }
        let hidden = vocabulary.members.filter { !role.sees(member: $0) }
        if !hidden.isEmpty {
            lines.append("  without " + hidden.map(quoted).joined(separator: ", "))
        }
        return .allowed(lines.joined(separator: "\n"))
    }

    private func explainDispatch(_ request: String, _ grants: RoleGrants) -> PolicyExplanation {
        let useful = grants.dispatchGrants.filter { grant in
            vocabulary.actions.contains { grant.scope.actions.covers($0) }
        }
        guard !useful.isEmpty else {
            return denial(of: request, "an action", in: "dispatch", of: grants)
        }
        let lines = [
            "\(request) accepts the actions of the following grants; --action asks about one action"
        ]
        return .allowed((lines + useful.map { "  \(text($0))" }).joined(separator: "\n"))
    }

    /// Returns the grants of a role that grant something of a kind in this store.
    private func effectiveGrants(of kind: GrantedKind, in grants: RoleGrants) -> [Grant<NameScope>]
    {
        grants.list(of: kind).grants.filter { grant in
            grant.scope.coversAll(kind)
                || vocabulary.names(of: kind).contains { grant.scope.covers(kind, $0) }
        }
    }

    private func denial(
        of asked: String,
        _ wanted: String,
        in list: String,
        of grants: RoleGrants,
        isHidden: Bool = false
    ) -> PolicyExplanation {
        .denied(
            "nothing in /roles/\(grants.name)/\(list) grants \(asked); \(wanted) would"
                + (isHidden ? "; the answer is 404, as if nothing were there" : "")
        )
    }

    private func text<Scope>(_ grant: Grant<Scope>) -> String {
        "\(grant.pointer): \(Problem.excerpt(grant.sourceText))"
    }
}

extension PayloadCondition {
    /// Returns a sentence with the required value, and the value in the payload.
    func explanation(for payload: JSONNode?, of principal: String) -> String {
        let required =
            switch self.requiredValue {
            case .principal: "the principal's name, \(quoted(principal))"
            case .value(let value): Problem.excerpt(value.text)
            }
        let place = "'\(Problem.excerpt(pointer.description))' of the payload"
        guard let found = payload.flatMap(pointer.find(from:)) else {
            return "\(place) has to be \(required), and is missing"
        }
        return "\(place) has to be \(required), and is \(Problem.excerpt(found.sourceText))"
    }
}

extension JSONTree {
    /// The value as JSON.
    fileprivate var text: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.byteArray, as: UTF8.self)
    }
}
