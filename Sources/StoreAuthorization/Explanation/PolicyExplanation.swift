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
