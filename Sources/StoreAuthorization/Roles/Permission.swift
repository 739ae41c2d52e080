import StoreWire

/// The permission of a role to dispatch an action.
package enum Permission: Sendable {
    case always
    case never
    /// The permission holds if the payload meets all conditions of one of these grants.
    case conditional([[PayloadCondition]])
}

/// The required value of a member of a payload.
package struct PayloadCondition: Sendable, Equatable {
    enum Wanted: Sendable, Equatable {
        /// The name of the principal that dispatches the action.
        case principal
        case value(JSONTree)
    }

    let pointer: JSONPointer
    let wanted: Wanted

    /// Returns true if the payload has the member with the required value. Texts are compared by
    /// their bytes, numbers by value, and no type is converted.
    func holds(for payload: JSONNode?, of principal: String) -> Bool {
        guard let node = payload.flatMap(pointer.find(from:)) else { return false }
        switch wanted {
        case .principal: return node.stringValue?.utf8.elementsEqual(principal.utf8) == true
        case .value(let value): return JSONTree(node) == value
        }
    }

    /// The condition in words, for a client.
    var text: String {
        switch wanted {
        case .principal: "'\(Problem.excerpt(pointer.description))' is the principal's name"
        case .value: "'\(Problem.excerpt(pointer.description))' has the value of its policy"
        }
    }
}
