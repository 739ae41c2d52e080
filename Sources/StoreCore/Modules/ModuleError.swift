/// Why the modules of a root state can't make a store together, or have no part in it. It is thrown
/// when the store is made, before any action, or by `Core.child`; its description is for the
/// developer, and has the next step.
public enum ModuleError: Error, Equatable, CustomStringConvertible {
    /// Two modules have this name.
    case nameTwice(String)
    /// A module has this name, which stands for something else in the log.
    case nameReserved(String)
    /// Two modules handle this type of action; the second string is the later module.
    case actionTwice(String, String)
    /// This type is listed among the dispatchables of the module that the second string names, but
    /// is for the state of another module, or is neither a state updater nor a side effect.
    case foreignDispatchable(String, String)
    /// This type is listed among the dispatchables of the root state, but is no state updater of
    /// that state.
    case foreignRootDispatchable(String, root: String)
    /// This type is listed twice among the dispatchables of the root state.
    case rootActionTwice(String)
    /// The module `reader` reads what this module shares, but the root state does not have it, or
    /// it is `reader` itself.
    case foreignOwner(String, reader: String)
    /// The module `reader` reads what the interface of this module shares, and the module that
    /// implements it is no ``SharingModule`` of that.
    case sharesNothing(String, reader: String)
    /// The module `reader` reads what this module shares, which has many instances: it is not
    /// decided which one is read.
    case manyOwners(String, reader: String)
    /// The module `reader`, whose slices are shared, reads what this module shares, of which
    /// each session has one.
    case ownersOfSessions(String, reader: String)
    /// This module has effects that go on after a restart, and the root state has no
    /// ``PendingEffects``, in which they are entered.
    case noLedger(String)
    /// This module's view has actions for both changes of its visibility, and the root state has no
    /// ``Presence``, in which the sessions that show it are entered.
    case noPresence(String)
    /// A presenter of the module `by` needs this module, which the root state does not have.
    case neededModule(String, by: String)
    /// The view of this module, whose slice is always there, is to be shown while it is there.
    case alwaysPresented(String)
    /// The root state has no such module, of which a part of the program asks for its own store.
    case notMounted(String)
    /// The root state has the members `found`, which are neither slices nor fields of its
    /// `modules`; or, where `found` is empty, it is encoded without the slices of some.
    case foreignMember(found: [String], modules: [String])

    /// What is wrong, and what would be right.
    public var description: String {
        switch self {
        case .nameTwice(let name):
            "two modules are named '\(name)'; give one of them another `static var name`"
        case .nameReserved(let name):
            "no module can be named '\(name)': that is where the log has what clients ask for besides "
                + "actions; give it another `static var name`"
        case .actionTwice(let type, let module):
            "the action type \(type) of module '\(module)' is handled by two modules; "
                + "each has to have its own"
        case .foreignDispatchable(let type, let module):
            "\(type) is listed by module '\(module)' but is for another state; a dispatchable is a "
                + "StateUpdater or a SideEffect of the module's own state"
        case .foreignRootDispatchable(let type, let root):
            "\(type) is listed by the root state but is for another state; a dispatchable of the "
                + "root state is a StateUpdater whose State is \(root)"
        case .rootActionTwice(let type):
            "the action type \(type) is listed twice by the root state; take one out"
        case .foreignOwner(let owner, let reader):
            "module '\(reader)' reads '\(owner)', which is no other module of this state; "
                + "mount that one, too"
        case .sharesNothing(let owner, let reader):
            "module '\(reader)' reads what '\(owner)' shares, but the module that implements "
                + "'\(owner)' does not share that; make it a SharingModule of its interface's value"
        case .manyOwners(let owner, let reader):
            "module '\(reader)' reads '\(owner)', which has many instances, and can't choose one; "
                + "let a module with one slice share what is to be read"
        case .ownersOfSessions(let owner, let reader):
            "module '\(reader)' is shared and reads '\(owner)', of which each session has its "
                + "own; make '\(reader)' a module of sessions, too, or dispatch an action to it"
        case .noLedger(let module):
            "module '\(module)' keeps its effects, but the state has nowhere to enter them; add "
                + "`var effects = PendingEffects.State()` and `PendingEffects().at(\\.effects)`"
        case .noPresence(let module):
            "module '\(module)' reports when its view is shown, but the state has nowhere to enter it; "
                + "add `var presence = Presence.State()` and `Presence().at(\\.presence)`"
        case .neededModule(let needed, let module):
            "a presenter of module '\(module)' needs the module '\(needed)', which this state does not "
                + "have; mount that one, too"
        case .alwaysPresented(let module):
            "the slice of module '\(module)' is always there, so `.presented()` has no moment to show "
                + "its view; make it a slice that is started, or present the view from a presenter"
        case .notMounted(let module):
            "the root state has no module '\(module)', so there is no store of it; mount it, or ask "
                + "for one that is mounted"
        case .foreignMember(let found, let modules):
            if found.isEmpty {
                "the root state is written without all slices of its modules \(modules); "
                    + "let it be written by the encode(to:) that RootState has"
            } else {
                "the root state has the members \(found), which are no slices of its modules "
                    + "\(modules) and would be lost; mount a module at each, name it as a "
                    + ".field, or take them out"
            }
        }
    }
}
