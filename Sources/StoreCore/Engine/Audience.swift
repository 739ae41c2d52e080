/// The named observers and streams that get an event for a change. A change without an audience
/// goes to all observers and streams.
package enum Audience: Sendable, Equatable {
    /// Only observers with these names, and no observer without a name.
    case only(Set<ExactText>)
    /// All observers except the ones with these names.
    case allExcept(Set<ExactText>)

    /// True if an observer with this name gets the event; `nil` stands for an observer without a
    /// name.
    package func includes(_ name: String?) -> Bool {
        let name = name.map { ExactText($0) }
        return switch self {
        case .only(let names): name.map(names.contains) ?? false
        case .allExcept(let names): name.map { !names.contains($0) } ?? true
        }
    }
}
