/// Which of a module's slices: that of a session, that of an instance, or both.
///
/// One word: most actions are for the one slice of a module, and keep no names.
package struct SliceKey: Hashable, Sendable {
    private final class Names: Sendable {
        let session: String?
        let instance: String?

        init(_ session: String?, _ instance: String?) {
            self.session = session
            self.instance = instance
        }
    }

    private let names: Names?

    /// Names a session, an instance, or both.
    package init(session: String? = nil, instance: String? = nil) {
        names = session == nil && instance == nil ? nil : Names(session, instance)
    }

    private init() { names = nil }

    /// The one slice of a module that has no others.
    package static var only: SliceKey { SliceKey() }

    /// Whether it names nothing.
    @inline(__always)
    package var isOnly: Bool { names == nil }

    /// The session; `nil` where the module's slices are shared. Of a module with slices of
    /// sessions, `nil` means what every session begins with.
    package var session: String? { names?.session }

    /// The instance; `nil` where the module has none.
    package var instance: String? { names?.instance }

    package static func == (a: SliceKey, b: SliceKey) -> Bool {
        a.names === b.names || (isSame(a.session, b.session) && isSame(a.instance, b.instance))
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
