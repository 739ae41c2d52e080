/// A value for each user: a member of a root state that gives all devices of a user the same slice.
///
/// ```swift
/// struct AppState: RootState {
///     var catalogue = Catalogue.State()
///     var cart = PerPrincipal(Cart.State())
///     var orders = PerPrincipal<Instances<Order.State>>()
///     var users = PerPrincipal(Users.State())
/// }
/// ```
///
/// An action changes the value of the user whose credential the request had. A client without a
/// credential is a visitor. A visitor has the value of its session, until the session ends or the
/// visitor signs in. All visitors without a session share a value.
///
/// Every user and every visitor begins with the same value. The table stores the value of a user
/// from the first change until the action `users/forgotten`. The table stores the value of a
/// visitor from the first change until the visitor's session ends.
///
/// On the wire, a client gets only its own value. A snapshot of the state has an object with a
/// member for each owner. The member of the user ada is `@ada`; the member of a visitor is `~` and
/// the name of its session.
///
/// Cost: with n values, a look-up or a change takes log2(n) steps. The size of the other values
/// does not matter.
public struct PerPrincipal<Value: Codable & Equatable & Sendable>: Equatable, Sendable {
    package var ownedTable: OwnedTable<Value>

    /// Makes a table without values; every user and every visitor begins with `first`.
    public init(_ first: Value) { ownedTable = OwnedTable(first) }

    /// The value of the user or visitor on whose behalf the state is read.
    ///
    /// For a view, this client is the client that asks for the view. For middleware, interceptors,
    /// observers and reactions, this client is the sender of the action.
    public var value: Value {
        get { ownedTable[readerOwnerName] }
        set { ownedTable[readerOwnerName] = newValue }
    }

    private var readerOwnerName: String {
        ownedTable.reader?.owner ?? OwnerName.visitor(SessionName.shared)
    }

    /// The value of the user with this name: the common first value, until the user changes it.
    public subscript(principal name: String) -> Value {
        get { ownedTable[OwnerName.user(name)] }
        set { ownedTable[OwnerName.user(name)] = newValue }
    }

    /// The value of a visitor, by the name of its session.
    public subscript(visitor session: String) -> Value {
        get { ownedTable[OwnerName.visitor(session)] }
        set { ownedTable[OwnerName.visitor(session)] = newValue }
    }

    /// The names of the users that have a stored value of their own, sorted.
    public var principals: [String] { ownedTable.owners.compactMap(OwnerName.principal(of:)) }

    /// The sessions of the visitors that have a stored value of their own, sorted.
    public var visitors: [String] { ownedTable.owners.compactMap(OwnerName.visitorSession(of:)) }
}

extension PerPrincipal where Value: ExpressibleByNilLiteral {
    /// Makes a table in which no user has started a slice.
    public init() { self.init(nil) }
}

extension PerPrincipal {
    /// Makes a table in which no user has an instance.
    public init<State>() where Value == Instances<State> { self.init(Instances()) }
}

extension PerPrincipal: OwnedMember {
    package static var ownership: SliceOwnership { .principal }

    /// Writes an object with a member for each owner that has changed its value.
    public func encode(to encoder: any Encoder) throws { try ownedTable.encode(to: encoder) }
}
