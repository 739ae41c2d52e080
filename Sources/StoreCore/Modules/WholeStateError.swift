/// What a function of the whole state did that can't be kept: a mistake of the program's, which
/// refuses the action. Clients get a fixed text, and the log has this one.
enum WholeStateError: Error, Equatable, CustomStringConvertible {
    /// It changed what every session begins with, of a member of this type.
    case beginning(String)
    /// It changed the slice of this module, which the store itself keeps.
    case keptByStore(String)

    var description: String {
        switch self {
        case .beginning(let type):
            "what every session begins with (\(type)) is the program's, and no action changes it; "
                + "change the value of one session, or put a PerSession of the same value there"
        case .keptByStore(let module):
            "the slice '\(module)' is kept by the store itself; dispatch an action of that module"
        }
    }
}
