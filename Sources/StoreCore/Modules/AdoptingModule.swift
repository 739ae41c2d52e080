/// A module that takes over the slice of a visitor when the visitor signs in.
///
/// A visitor is a client without a credential, with a session of its own. If the visitor begins a
/// session with a credential, the visitor's session ends. The visitor's slices of a
/// ``PerPrincipal`` end, too. The module of such a slice may first copy content of the slice to the
/// slice of the user.
///
/// ```swift
/// extension Cart: AdoptingModule {
///     func adopt(_ visitor: State, into user: inout State) {
///         user.items.append(contentsOf: visitor.items)
///     }
/// }
/// ```
///
/// If the user's slice is not started, the user gets the slice of the visitor. Without this
/// protocol, the slice of the visitor is dropped.
public protocol AdoptingModule<State>: Module {
    /// Changes the slice of the user, given the slice of the visitor. The function is pure.
    ///
    /// - Throws: a ``Refusal`` if the visitor must not sign in.
    func adopt(_ visitor: State, into user: inout State) throws
}
