import StoreWire

/// Whether a role may dispatch an action.
package enum Permission: Sendable {
    case always
    case never
    /// Where the payload meets all conditions of one of these grants.
    case conditional([[PayloadCondition]])
}

/// What a member of a payload has to be.
package struct PayloadCondition: Sendable, Equatable {
    enum Wanted: Sendable, Equatable {
        /// The name of the principal that dispatches.
        case principal
        case value(JSONTree)
    }

    let pointer: JSONPointer
    let wanted: Wanted

    /// Whether the payload has the member, and that is what it has to be. Texts are compared by
    /// their bytes, numbers by value, and nothing is converted.
    func holds(for payload: JSONNode?, of principal: String) -> Bool {
        guard let node = payload.flatMap(pointer.find(from:)) else { return false }
        switch wanted {
        case .principal: return node.stringValue?.utf8.elementsEqual(principal.utf8) == true
        case .value(let value): return JSONTree(node) == value
        }
    }

    /// What has to hold, in words for a client.
    var text: String {
        switch wanted {
        case .principal: "'\(Problem.excerpt(pointer.description))' is the principal's name"
        case .value: "'\(Problem.excerpt(pointer.description))' is what its policy says"
        }
    }
}
