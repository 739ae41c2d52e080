import StoreJSON
import StoreTexts
import StoreWire

/// The explainer of a policy: it answers whether a role may do something in a store. The answer
/// names the grant or the missing grant.
package struct PolicyExplainer {
    private let file: PolicyFile?
    private let policy: Policy
    let vocabulary: PolicyVocabulary
    let names: PolicyNames

    /// Makes an explainer for a store. `file` is `nil` if there is no policy.
    package init(_ file: PolicyFile?, in world: PolicyVocabulary) {
        self.file = file
        self.vocabulary = world
        policy = file.map { Policy($0, in: world) } ?? .withoutFile
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
            if need == .nothing {
                return .allowed("\(request) is open to all roles, without a grant")
            }
            if let (role, grants) = role(roleName) {
                return explainRoute(need, request, role, grants)
            }
            return explanationWithoutRole(
                roleName,
                isDenied: policy.role(roleName)?.denial(of: need) != nil
            )
        case .action(let name, let payload, let principal):
            let place = try index(ofAction: name)
            let document = try payload.map { bytes throws(PolicyQuestionError) in
                do throws(JSONError) {
                    return try JSONDocument(parsing: bytes, limits: .unbounded)
                } catch {
                    throw PolicyQuestionError(
                        "the payload is no JSON: byte \(error.offset): \(error.message)"
                    )
                }
            }
            if let (_, grants) = role(roleName) {
                return explainAction(name, at: place, document?.root, of: principal, grants)
            }
            return explanationWithoutRole(roleName, isDenied: policy.role(roleName) == nil)
        }
    }

    /// Returns the role with its grants; `nil` if there is no policy, or no such role.
    private func role(_ name: String) -> (Role, RoleGrants)? {
        guard let grants = file?.roles.first(where: { $0.name.isSame(as: name) }),
            let role = policy.role(name)
        else { return nil }
        return (role, grants)
    }

    /// Returns the answer if there is no policy, or if the policy does not have the role.
    private func explanationWithoutRole(_ name: String, isDenied: Bool) -> PolicyExplanation {
        if let file {
            let error = unknownNameError("the policy has no role", name, in: file.roles.map(\.name))
            return .denied(error.description)
        }
        guard name.isSame(as: Policy.anonymousRoleName) else {
            return .denied(
                "without a policy, there is no role \(quoted(name)): the only role is \"anonymous\""
            )
        }
        return isDenied
            ? .denied("without a policy, \"anonymous\" may do all except debug and operate")
            : .allowed("without a policy, \"anonymous\" may do this")
    }

    /// Returns the request as a text for the answer, and the need of the route at this path.
    private func need(
        of path: String,
        _ method: String?
    ) throws(PolicyQuestionError) -> (request: String, need: RouteNeed) {
        let shown = Problem.excerpt(path)
        guard let route = PolicyRoutes.route(at: path) else {
            throw PolicyQuestionError(
                "no route has the path '\(shown)'; give the path of a request, without its query"
            )
        }
        if let method, !route.methods.contains(exactly: method) {
            throw PolicyQuestionError(
                "'\(shown)' has only the methods \(route.methods.joined(separator: ", "))"
            )
        }
        return ("\(method ?? route.methods.first ?? "GET") \(shown)", try checkedNeed(route.need))
    }

    /// Checks that the store has the name in the need, and returns the need. If the name is for one
    /// instance of a use case, the returned need has the name with `{id}`. Throws if the store does
    /// not have the name.
    private func checkedNeed(_ need: RouteNeed) throws(PolicyQuestionError) -> RouteNeed {
        let (kind, name): (GrantedKind, String)
        switch need {
        case .member(let member): (kind, name) = (.member, member)
        case .view(let view): (kind, name) = (.view, view)
        case .notification(let event): (kind, name) = (.notification, event)
        case .useCase(let path):
            if let all = path.allInstancesName, names[.useCase].contains(all) {
                return .useCase(all)
            }
            (kind, name) = (.useCase, path)
        case .nothing, .state, .views, .log, .dispatch, .group: return need
        }
        guard !names[kind].contains(name) else { return need }
        throw unknownNameError("this store has no \(kind.noun)", name, in: names[kind].names)
    }

    private func index(ofAction name: String) throws(PolicyQuestionError) -> Int {
        for known in [name, name.allInstancesName].compactMap(\.self) {
            let place = vocabulary.actions.firstIndex { $0.name.isSame(as: known) }
            if let place { return place }
        }
        throw unknownNameError("this store has no action", name, in: vocabulary.actions.map(\.name))
    }

    /// Makes the error for an unknown name. The error suggests the nearest known name.
    private func unknownNameError(
        _ problem: String,
        _ name: String,
        in known: [String]
    ) -> PolicyQuestionError {
        let nearest = EditDistance.nearest(to: name, in: known)
        let hint = nearest.map { "; did you mean \(JSONText.quoted($0))?" } ?? ""
        return PolicyQuestionError("\(problem) \(quoted(name))" + hint)
    }
}

/// A question about a policy: whether a role may do something.
package enum PolicyQuestion: Sendable {
    /// A request for this path with this method. If the method is `nil`, the question is about the
    /// path's first method.
    case path(String, method: String?)
    /// A dispatch of this action with this JSON payload by this principal.
    case action(String, payload: [UInt8]?, principal: String)
}

/// The answer to a ``PolicyQuestion``, with its reason.
package struct PolicyExplanation: Sendable, Equatable {
    package let isAllowed: Bool
    /// The reason for the operator, in one or more lines.
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

/// The error for a question that can't be answered, such as a question with an unknown name.
package struct PolicyQuestionError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
