/// Why modules can't make a store together.
public enum ModuleError: Error, Equatable, CustomStringConvertible {
    /// Two modules have one name.
    case nameTwice(String)
    /// A module has a name that stands for something else in the log.
    case nameReserved(String)
    /// One type of action has two places to go to.
    case actionTwice(String, String)
    /// A dispatchable is for the state of another module, or is neither updater nor side effect.
    case foreignDispatchable(String, String)
    /// A module reads one that the root state does not have, or itself.
    case foreignOwner(String, reader: String)
    /// A module has effects that outlive the server, and the state has no ``PendingEffects``.
    case noLedger(String)
    /// A presenter of the second module needs the first one, which the state does not have.
    case neededModule(String, by: String)
    /// The root state has members that are no module's slice, or lacks one.
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
        case .foreignOwner(let owner, let reader):
            "module '\(reader)' reads '\(owner)', which is no other module of this state; "
                + "mount that one, too"
        case .noLedger(let module):
            "module '\(module)' keeps its effects, but the state has nowhere to enter them; add "
                + "`var effects = PendingEffects.State()` and `PendingEffects().at(\\.effects)`"
        case .neededModule(let needed, let module):
            "a presenter of module '\(module)' needs the module '\(needed)', which this state does not "
                + "have; mount that one, too"
        case .foreignMember(let found, let modules):
            if found.isEmpty {
                "the root state is written without all slices of its modules \(modules); "
                    + "let it be written by the encode(to:) that RootState has"
            } else {
                "the root state has the members \(found), which are no slices of its modules "
                    + "\(modules) and would be lost; mount a module at each, or take them out"
            }
        }
    }
}
