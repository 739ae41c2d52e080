/// A mistake of a function of the whole state, which refuses the action. Clients get a fixed text,
/// and the log gets the description of this error.
enum WholeStateError: Error, Equatable, CustomStringConvertible {
    /// The function changed the value that every session begins with, of a member of this type.
    case beginning(String)
    /// The function changed the slice of this module, which only the store itself may change.
    case keptByStore(String)

    var description: String {
        switch self {
        case .beginning(let type):
            "no action changes the default value of sessions (\(type)), which the program sets; "
                + "change the value of one session, or put a PerSession of the same value there"
        case .keptByStore(let module):
            "the slice '\(module)' is kept by the store itself; dispatch an action of that module"
        }
    }
}
