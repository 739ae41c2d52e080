import StoreCore

// The plain model of slices of users. An owner is `@` and a principal, or `~` and a session.

extension PerPrincipal {
    subscript(owner: String) -> Value {
        owner.hasPrefix("@")
            ? self[principal: String(owner.dropFirst())] : self[visitor: String(owner.dropFirst())]
    }

    /// The owners with a value of their own.
    var owners: [String] { principals.map { "@" + $0 } + visitors.map { "~" + $0 } }

    /// Changes the value of an owner. A change that keeps the bytes writes no value.
    mutating func change(_ owner: String, _ change: (inout Value) throws -> Void) rethrows {
        var value = self[owner]
        try change(&value)
        guard Bytewise(json: value) != Bytewise(json: self[owner]) else { return }
        write(value, owner)
    }

    /// Removes the value of a user, or of a visitor whose session ends.
    mutating func end(_ name: String) {
        let before = self
        self = PerPrincipal(before[StateText.nobody])
        for owner in before.owners where owner != name && owner != "~" + name {
            write(before[owner], owner)
        }
    }

    private mutating func write(_ value: Value, _ owner: String) {
        let name = String(owner.dropFirst())
        if owner.hasPrefix("@") {
            self[principal: name] = value
        } else {
            self[visitor: name] = value
        }
    }
}

extension PerPrincipal: VisibleParts {
    func text(of name: String, as owner: String) -> Bytewise {
        let text = Bytewise(json: self[owner])
        return text == Bytewise("null") ? .absent : text
    }

    var sessionNames: [String] { owners }
}
