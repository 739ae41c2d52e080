/// A mistake in the modules of a root state, which prevents the start of a store.
///
/// The error is thrown before the first action, when the store is made, or by `Core.child`. The
/// description of the error is for the developer, and explains the correction of the mistake.
public enum ModuleError: Error, Equatable, CustomStringConvertible {
    /// Two modules have this name.
    case nameTwice(String)
    /// A module has this name, which the log uses for use cases or notifications.
    case nameReserved(String)
    /// Two modules handle this type of action; `module` is mounted after the other module.
    case actionTwice(String, module: String)
    /// The module `module` lists this type among its dispatchables. The type is for the state of
    /// another module, or is neither a state updater nor a side effect.
    case foreignDispatchable(String, module: String)
    /// This type is listed among the dispatchables of the root state, but is not a state updater of
    /// that state.
    case foreignRootDispatchable(String, root: String)
    /// This type is listed twice among the dispatchables of the root state.
    case rootActionTwice(String)
    /// The module `reader` reads the shared value of this module. The root state does not have this
    /// module, or this module is `reader` itself.
    case unknownOwner(String, reader: String)
    /// The module `reader` reads the value that the interface of this module shares. The module
    /// that implements the interface is not a ``SharingModule`` of that value.
    case sharesNothing(String, reader: String)
    /// The module `reader` reads a value of this module, which has many instances. A reader cannot
    /// choose one of many instances.
    case ownerHasInstances(String, reader: String)
    /// The module `reader`, whose slices do not belong to sessions, reads a value of this module,
    /// which has a slice for each session.
    case ownerIsPerSession(String, reader: String)
    /// The module `reader`, whose slices do not belong to users, reads a value of this module,
    /// which has a slice for each user.
    case ownerIsPerPrincipal(String, reader: String)
    /// The slices of this module belong to users, and its view has an action for a change of its
    /// visibility. The store dispatches this action for a session, and a session has no slice of
    /// the module.
    case reportsViewsOfUsers(String)
    /// This is a ``RestrictedModule``, but its member is neither ``Instances`` nor an optional
    /// slice that all clients share.
    case cannotBeRestricted(String)
    /// This module declares timers. The root state does not mount ``Schedule``.
    case noSchedule(String)
    /// This module declares timers, but it does not have a single slice that all clients share.
    case declaresTimersOfManySlices(String)
    /// The module declares a timer with this id, which cannot be set for this reason.
    case invalidTimer(String, module: String, reason: String)
    /// The slices of this module belong to users. The root state does not mount `Users` with slices
    /// of users; the actions of `Users` end these slices.
    case noUsers(String)
    /// This module has effects that run again or are reported after a restart. The root state does
    /// not mount ``PendingEffects``, the ledger for such effects.
    case noEffectLedger(String)
    /// The view of this module has actions for both changes of its visibility. The root state does
    /// not mount ``Presence``, the ledger of the views that sessions show.
    case noPresence(String)
    /// A presenter of the module `by` needs this module, which the root state does not have.
    case missingNeededModule(String, by: String)
    /// A presenter of this module has another state type than the slice.
    case foreignPresenter(String, module: String)
    /// The key path of ``Mount/reading(_:of:)`` begins at another type than the slice of the module
    /// `reader`.
    case foreignCopy(of: String, reader: String)
    /// The view of this module is presented for as long as its slice is started, but the slice
    /// always exists.
    case presentsPermanentSlice(String)
    /// The program asks for the child store of this module, which the root state does not have.
    case notMounted(String)
    /// The root state has the members `found`, which are neither slices nor fields of its
    /// `modules`. If `found` is empty, the encoded state lacks the slices of some modules.
    case foreignMember(found: [String], modules: [String])

    /// The mistake, and how to correct it.
    public var description: String {
        switch self {
        case .nameTwice(let name):
            "two modules are named '\(name)'; give one of them another `static var name`"
        case .nameReserved(let name):
            "no module can be named '\(name)': the log uses this name for client requests without "
                + "actions; give it another `static var name`"
        case .actionTwice(let type, let module):
            "the action type \(type) of module '\(module)' is handled by two modules; "
                + "each needs a type of its own"
        case .foreignDispatchable(let type, let module):
            "\(type) is listed by module '\(module)', but for another state; a dispatchable is a "
                + "StateUpdater or a SideEffect of the module's own state"
        case .foreignRootDispatchable(let type, let root):
            "\(type) is listed by the root state, but for another state; a dispatchable of the "
                + "root state is a StateUpdater whose State is \(root)"
        case .rootActionTwice(let type):
            "the action type \(type) is listed twice by the root state; take one out"
        case .unknownOwner(let owner, let reader):
            "module '\(reader)' reads '\(owner)', which is not another module of this state; "
                + "mount that module, too"
        case .sharesNothing(let owner, let reader):
            "module '\(reader)' reads the shared value of '\(owner)', but the module of '\(owner)' "
                + "does not share it; make that module a SharingModule with the value of its "
                + "interface"
        case .ownerHasInstances(let owner, let reader):
            "module '\(reader)' reads '\(owner)', which has many instances, and so no single value "
                + "to read; let a module with one slice share the value"
        case .ownerIsPerSession(let owner, let reader):
            "module '\(reader)' reads '\(owner)', of which each session has a slice; give each "
                + "session a slice of '\(reader)', too, or pass the value in an action"
        case .ownerIsPerPrincipal(let owner, let reader):
            "module '\(reader)' reads '\(owner)', of which each user has a slice; give each "
                + "user a slice of '\(reader)', too, or pass the value in an action"
        case .reportsViewsOfUsers(let module):
            "module '\(module)' reports when its view is shown, but its slices belong to users; "
                + "make it a module of sessions (PerSession), or report nothing"
        case .cannotBeRestricted(let module):
            "module '\(module)' restricts the readers of its slices, so a slice has to be absent "
                + "for other clients; make the member `Instances<State>` or `State?`"
        case .noSchedule(let module):
            "module '\(module)' declares timers, but the state has no schedule; add "
                + "`var schedule = Schedule.State()` and `Schedule().at(\\.schedule)`"
        case .declaresTimersOfManySlices(let module):
            "module '\(module)' declares timers, but has no single slice that all clients share; "
                + "let its reducer set the timers of each slice"
        case .invalidTimer(let id, let module, let reason):
            "module '\(module)' can't declare the timer '\(id)': \(reason)"
        case .noUsers(let module):
            "the slices of module '\(module)' belong to users, but no module ends them; add "
                + "`var users = PerPrincipal(Users.State())` and `Users().at(\\.users)`"
        case .noEffectLedger(let module):
            "module '\(module)' keeps its effects, but the state has no ledger for them; add "
                + "`var effects = PendingEffects.State()` and `PendingEffects().at(\\.effects)`"
        case .noPresence(let module):
            "module '\(module)' reports when its view is shown, but the state has no slice for it; "
                + "add `var presence = Presence.State()` and `Presence().at(\\.presence)`"
        case .missingNeededModule(let needed, let module):
            "a presenter of module '\(module)' needs the module '\(needed)', which this state does not "
                + "have; mount that module, too"
        case .foreignPresenter(let presenter, let module):
            "the State of the presenter \(presenter) is not the slice of module '\(module)'; "
                + "change the presenter's State to the type of this slice, or list the presenter "
                + "for the module whose slice it presents"
        case .foreignCopy(let owner, let reader):
            "module '\(reader)' keeps the shared value of '\(owner)' outside its own slice; give "
                + "`.reading` a key path that begins at the slice's type"
        case .presentsPermanentSlice(let module):
            "the slice of module '\(module)' is always there, so `.presented()` never shows "
                + "its view; make it a slice with a start, or present the view from a presenter"
        case .notMounted(let module):
            "the root state has no module '\(module)', so there is no child store; mount it, or "
                + "ask for a mounted module"
        case .foreignMember(let found, let modules):
            if found.isEmpty {
                "the root state's own encode(to:) leaves out slices of its modules \(modules); "
                    + "remove it, so that the encode(to:) of RootState is used"
            } else {
                "the root state has the members \(found), which are no slices of its modules "
                    + "\(modules) and would be lost; mount a module at each, name it as a "
                    + ".field, or take them out"
            }
        }
    }
}
