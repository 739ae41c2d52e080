public import StoreCore

/// The users whose slices a store has. A root state with a `PerPrincipal` mounts this module,
/// with a slice for each user.
///
/// ```swift
/// var cart = PerPrincipal(Cart.State())
/// var users = PerPrincipal(Users.State())
///
/// static let modules: Modules = [Cart().at(\.cart), Users().at(\.users)]
/// ```
///
/// The slices themselves show which users exist, so the slice of this module has no members. Its
/// actions join and remove the slices of users, in one version for all modules. In the log, only
/// the client that caused such an action can read the action.
public struct Users: EffectfulModule {
    /// The slice, without members.
    public struct State: ModuleState {
        /// Makes the slice.
        public init() {}
    }

    /// The actions that the server dispatches.
    public enum Internal: ModuleAction {
        /// A visitor has signed in. Modules that are an `AdoptingModule` join the slices of the
        /// visitor with the slices of the user; all slices of the visitor are removed. `visitor` is
        /// the name of the visitor's session.
        case signedIn(visitor: String, principal: String)
        /// The slices of a user are removed. Effects that follow actions of the user are cancelled.
        /// If the user dispatches an action later, the user gets new slices.
        case forgotten(principal: String)
    }

    /// Makes the module.
    public init() {}

    /// Returns the effect that cancels the effects of a forgotten user. Refuses no action.
    public func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .signedIn: .none
        case .forgotten(let principal): Effect(.endUser(principal))
        }
    }
}

extension Users.Internal: SessionAction {
    package var endedOwners: [String] {
        switch self {
        case .signedIn(let visitor, _): [OwnerName.visitor(visitor)]
        case .forgotten(let principal): [OwnerName.user(principal)]
        }
    }

    package var signIn: (visitor: String, user: String)? {
        guard case .signedIn(let visitor, let principal) = self else { return nil }
        return (OwnerName.visitor(visitor), OwnerName.user(principal))
    }
}

extension RootState {
    /// The name of the first module with slices of users, if the root state does not mount
    /// ``Users`` with slices of users. The name is `nil` if no module lacks ``Users``.
    package static var moduleWithoutUsers: String? {
        let ofUsers = modules.filter { $0.slicePlace.ownership == .principal }
        let isMounted = ofUsers.contains { $0.module is Users }
        return isMounted ? nil : ofUsers.first?.name
    }
}
