import StoreJSON
import StoreTexts
import StoreWire

/// Explains whether a role may do something in a store, and names the grant or the missing grant.
package struct PolicyExplainer {
    private let file: PolicyFile?
    private let policy: Policy
    let world: PolicyWorld
    let names: PolicyNames

    /// Makes an explainer. `file` is `nil` if there is no policy.
    package init(_ file: PolicyFile?, in world: PolicyWorld) {
        self.file = file
        self.world = world
        policy = file.map { Policy($0, in: world) } ?? .open
        names = PolicyNames([world])
    }

    /// Answers a question for the role of this name.
    ///
    /// - Throws: ``PolicyQuestionError`` if the question has a name that the store does not have.
    package func explain(
        _ question: PolicyQuestion,
        as roleName: String
    ) throws(PolicyQuestionError) -> PolicyExplanation {
        switch question {
        case .path(let path, let method):
            let (request, need) = try need(of: path, method)
            if need == .nothing { return .allowed("\(request) is for all roles") }
            return explain(need, request, as: roleName)
        case .action(let name, let payload, let principal):
            let place = try place(ofAction: name)
            let document = try payload.map { bytes throws(PolicyQuestionError) in
                do throws(JSONError) {
                    return try JSONDocument(parsing: bytes, limits: .unbounded)
                } catch {
                    throw PolicyQuestionError(
                        "the payload is no JSON: byte \(error.offset): \(error.message)"
                    )
                }
            }
            return explain(name, at: place, document?.root, of: principal, as: roleName)
        }
    }

    /// Returns the role with its grants; a failure if there is no policy, or no such role.
    private func role(_ name: String) -> Result<(Role, RoleGrants), Missing> {
        guard let file else { return .failure(.policy) }
        guard let role = policy.role(name),
            let grants = file.roles.first(where: { $0.name.isSame(as: name) })
        else { return .failure(.role) }
        return .success((role, grants))
    }

    private enum Missing: Error { case policy, role }

    private func explain(
        _ need: RouteNeed,
        _ request: String,
        as name: String
    ) -> PolicyExplanation {
        switch role(name) {
        case .success((let role, let grants)): explain(need, request, role, grants)
        case .failure(let missing):
            without(missing, name, isDenied: policy.role(name)?.denial(of: need) != nil)
        }
    }

    private func explain(
        _ action: String,
        at place: Int,
        _ payload: JSONNode?,
        of principal: String,
        as name: String
    ) -> PolicyExplanation {
        switch role(name) {
        case .success((_, let grants)): explain(action, at: place, payload, of: principal, grants)
        case .failure(let missing):
            without(missing, name, isDenied: policy.role(name) == nil)
        }
    }

    /// Returns the answer if there is no policy, or if the policy does not have the role.
    private func without(_ missing: Missing, _ name: String, isDenied: Bool) -> PolicyExplanation {
        let text = JSONText.quoted(Problem.excerpt(name))
        if case .role = missing {
            let known = file?.roles.map(\.name) ?? []
            let nearest = EditDistance.nearest(to: name, in: known)
            let hint = nearest.map { "; did you mean \(JSONText.quoted($0))?" } ?? ""
            return .denied("the policy has no role \(text)" + hint)
        }
        guard name.isSame(as: Policy.anonymous) else {
            return .denied("without a policy there is no role \(text), but \"anonymous\" alone")
        }
        return isDenied
            ? .denied("without a policy \"anonymous\" may do all but debug and operate")
            : .allowed("without a policy \"anonymous\" may do this")
    }

    /// Returns the text of the request for the answer, and the need of its route.
    private func need(
        of path: String,
        _ method: String?
    ) throws(PolicyQuestionError) -> (request: String, need: RouteNeed) {
        let shown = Problem.excerpt(path)
        guard let route = RoutePath.route(at: path) else {
            throw PolicyQuestionError(
                "no route has the path '\(shown)'; allowed is a path as a request has it, without "
                    + "its query"
            )
        }
        if let method, !route.methods.contains(exactly: method) {
            throw PolicyQuestionError(
                "'\(shown)' has the methods \(route.methods.joined(separator: ", ")) alone"
            )
        }
        return ("\(method ?? route.methods.first ?? "GET") \(shown)", try known(route.need))
    }

    /// Returns the need with the store's name: for a use case of an instance, its name has `{id}`.
    private func known(_ need: RouteNeed) throws(PolicyQuestionError) -> RouteNeed {
        switch need {
        case .member(let name):
            try require(name, in: names.members.names, "member of the state")
            return need
        case .view(let name):
            try require(name, in: names.views.names, "view")
            return need
        case .notification(let name):
            try require(name, in: names.notifications.names, "notification")
            return need
        case .useCase(let path):
            if let all = InstanceName.template(of: path), names.useCases.contains(all) {
                return .useCase(all)
            }
            try require(path, in: names.useCases.names, "use case")
            return need
        case .nothing, .state, .views, .log, .dispatch, .group:
            return need
        }
    }

    private func place(ofAction name: String) throws(PolicyQuestionError) -> Int {
        if let place = world.actions.firstIndex(where: { $0.name.isSame(as: name) }) {
            return place
        }
        if let all = InstanceName.template(of: name),
            let place = world.actions.firstIndex(where: { $0.name.isSame(as: all) })
        {
            return place
        }
        throw unknown(name, in: world.actions.map(\.name), "action")
    }

    private func require(
        _ name: String,
        in known: [String],
        _ kind: String
    ) throws(PolicyQuestionError) {
        guard !known.contains(exactly: name) else { return }
        throw unknown(name, in: known, kind)
    }

    private func unknown(_ name: String, in known: [String], _ kind: String) -> PolicyQuestionError
    {
        let hint = EditDistance.nearest(to: name, in: known).map {
            "; did you mean \(JSONText.quoted($0))?"
        }
        return PolicyQuestionError(
            "this store has no \(kind) \(JSONText.quoted(Problem.excerpt(name)))" + (hint ?? "")
        )
    }
}

/// A question about a policy: may a role do something?
package enum PolicyQuestion: Sendable {
    /// A request for this path; `nil` for any method of the path.
    case path(String, method: String?)
    /// The dispatch of an action with this payload, in JSON, by this principal.
    case action(String, payload: [UInt8]?, principal: String)
}

/// The answer to a ``PolicyQuestion``, with its reason.
package struct PolicyExplanation: Sendable, Equatable {
    package let isAllowed: Bool
    /// The reason for the operator, on one line or several.
    let reason: String

    static func allowed(_ reason: String) -> PolicyExplanation {
        PolicyExplanation(isAllowed: true, reason: reason)
    }

    static func denied(_ reason: String) -> PolicyExplanation {
        PolicyExplanation(isAllowed: false, reason: reason)
    }

    /// The text `allowed` or `denied`, and the reason.
    package var text: String { (isAllowed ? "allowed: " : "denied: ") + reason }
}

/// The error if a question has a name that the store does not have, or another mistake.
package struct PolicyQuestionError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
