/// An effect, a use case or a presenter of a module has dispatched an action of another one's views
/// or of its inside. It is not applied, the log has an error, and an effect that awaits gets this.
///
/// A module in a target of its own, behind a ``ModuleInterface``, has the compiler refuse it.
public struct ForeignAction: Error, Equatable, CustomStringConvertible {
    /// The wire name of the action.
    public let action: String
    /// The module whose own action it is.
    public let owner: String
    /// The module whose effect or presenter has dispatched it.
    public let module: String

    init(action: String, of owner: String, by module: String) {
        self.action = action
        self.owner = owner
        self.module = module
    }

    /// What is wrong, and what would be right.
    public var description: String {
        "only the views, effects and presenters of module '\(owner)' dispatch \(action), and this is "
            + "one of module '\(module)'; dispatch a public action of '\(owner)', or let a presenter "
            + "of '\(owner)' do it"
    }
}
