/// A question about a policy: whether a role may do something.
package enum PolicyQuestion: Sendable {
    /// A request for this path; `nil` for any method that it has.
    case path(String, method: String?)
    /// An action with this payload, in JSON, of this principal.
    case action(String, payload: [UInt8]?, principal: String)
}

/// The answer to a ``PolicyQuestion``, with what it follows from.
package struct PolicyExplanation: Sendable, Equatable {
    package let isAllowed: Bool
    /// For people: why, on one line or several.
    let reason: String

    static func allowed(_ reason: String) -> PolicyExplanation {
        PolicyExplanation(isAllowed: true, reason: reason)
    }

    static func denied(_ reason: String) -> PolicyExplanation {
        PolicyExplanation(isAllowed: false, reason: reason)
    }

    /// `allowed` or `denied`, and why.
    package var text: String { (isAllowed ? "allowed: " : "denied: ") + reason }
}

/// A question that can't be answered: it names what the store does not have.
package struct PolicyQuestionError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
