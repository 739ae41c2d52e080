import StoreTexts

/// A module whose slices have readers: the data of a slice determines the clients that read the
/// slice.
///
/// ```swift
/// extension Board: RestrictedModule {
///     func readers(of board: State) -> Readers {
///         .principals(board.members) + .roles(["support"])
///     }
/// }
/// ```
///
/// A client that is not among the readers gets the answers for an absent slice. For this client,
/// the state has no member, the streams have no event, and the log has no record. The client's
/// actions are refused like actions on an absent slice. A change of the readers takes effect in the
/// version that changes them.
///
/// The member of the root state is ``Instances``, or a single slice of the type `State?`. Slices of
/// sessions and users belong to their owners already, and cannot be restricted.
///
/// The program itself reads and changes all slices: effects, presenters, reactions, observers,
/// timers and interceptors have the whole state.
public protocol RestrictedModule<State>: StartableModule {
    /// Returns the readers of a slice. The function is pure: its result depends on the slice alone.
    ///
    /// The store calls this function before and after each action on the slice.
    func readers(of state: State) -> Readers
}

/// The clients that read a slice: all clients, some principals, some roles, or no client.
public struct Readers: Sendable {
    /// The readers as sorted texts, each once; ``ReaderName`` describes the form.
    package private(set) var names: [String]

    private init(sorted names: [String]) { self.names = names }

    private init(_ names: some Sequence<String>) {
        var sorted = names.map { ExactText($0) }.sorted()
        var last: ExactText?
        sorted.removeAll { name in
            defer { last = name }
            return name == last
        }
        self.names = sorted.map(\.text)
    }

    /// All clients, including clients without a credential.
    public static let all = Readers(sorted: [ReaderName.all])

    /// No client. The program still reads the slice.
    public static let none = Readers(sorted: [])

    /// Returns the principals with these names. The role of a principal does not matter.
    public static func principals(_ names: some Sequence<String>) -> Readers {
        Readers(names.lazy.map(OwnerName.user))
    }

    /// Returns all principals with one of these roles of the policy.
    public static func roles(_ names: some Sequence<String>) -> Readers {
        Readers(names.lazy.map(ReaderName.role))
    }

    /// Returns the readers in either value.
    public static func + (a: Readers, b: Readers) -> Readers {
        if a.names.isEmpty { return b }
        return b.names.isEmpty ? a : Readers([a.names, b.names].joined())
    }
}

extension Readers: Equatable {
    /// True if both values have the same readers. Names are compared by bytes.
    public static func == (a: Readers, b: Readers) -> Bool {
        a.names.count == b.names.count
            && zip(a.names, b.names).allSatisfy { $0.isSame(as: $1) }
    }
}

extension Readers {
    /// Returns true if a client is among the readers. `client` is its ``ReaderName``.
    package func contains(_ client: String) -> Bool {
        ReaderName.isIncluded(client, in: names)
    }
}

/// The function that returns the readers of a module's slice.
package typealias ReaderRule<State> = @Sendable (State) -> Readers

extension Module {
    /// The rule of a ``RestrictedModule``; `nil` for any other module.
    var readerRule: ReaderRule<State>? {
        guard let restricted = self as? any RestrictedModule<State> else { return nil }
        return { restricted.readers(of: $0) }
    }
}
