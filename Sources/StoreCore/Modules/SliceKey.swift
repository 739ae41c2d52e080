/// Which of a module's slices: that of a session, that of an instance, or both.
package struct SliceKey: Hashable, Sendable {
    /// The session; `nil` where the module's slices are shared. Of a module with slices of
    /// sessions, `nil` means what every session begins with.
    package var session: String?
    /// The instance; `nil` where the module has none.
    package var instance: String?

    package init(session: String? = nil, instance: String? = nil) {
        self.session = session
        self.instance = instance
    }

    /// The one slice of a module that has no others.
    package static let only = SliceKey()

    package static func == (a: SliceKey, b: SliceKey) -> Bool {
        isSame(a.session, b.session) && isSame(a.instance, b.instance)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(session.map { ExactText($0) })
        hasher.combine(instance.map { ExactText($0) })
    }

    private static func isSame(_ a: String?, _ b: String?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return a.isSame(as: b)
    }
}

/// The sessions of clients, as the engine has them.
package enum SessionName {
    /// The session of all who have none of their own: clients without a session, and the program
    /// where no client's action led to what it does.
    package static let shared = "shared"
}
