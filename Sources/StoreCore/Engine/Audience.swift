/// The named observers and streams that get an event for a change. A change without an audience is
/// for all of them.
package enum Audience: Sendable, Equatable {
    /// Those of these names, and no observer without a name.
    case only(Set<ExactText>)
    /// All but those of these names.
    case allExcept(Set<ExactText>)

    /// Whether an observer of this name gets it; `nil` for one without a name.
    package func includes(_ name: String?) -> Bool {
        let name = name.map { ExactText($0) }
        return switch self {
        case .only(let names): name.map(names.contains) ?? false
        case .allExcept(let names): name.map { !names.contains($0) } ?? true
        }
    }
}
