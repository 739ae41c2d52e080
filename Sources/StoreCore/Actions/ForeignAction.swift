/// The error for a dispatch of another module's UI action or internal action, by an effect, a use
/// case or a presenter.
///
/// The action is not applied, and the log has an error. An effect that awaits the dispatch gets
/// this error. If the other module is in a target of its own, behind a ``ModuleInterface``, the
/// compiler prevents the dispatch.
public struct ForeignAction: Error, Equatable, CustomStringConvertible {
    /// The wire name of the action.
    public let action: String
    /// The module whose own action it is.
    public let owner: String
    /// The module whose effect, use case or presenter has dispatched it.
    public let module: String

    init(action: String, of owner: String, by module: String) {
        self.action = action
        self.owner = owner
        self.module = module
    }

    /// The mistake, and how to correct it.
    public var description: String {
        "only the views, effects and presenters of module '\(owner)' dispatch \(action); this is "
            + "one of module '\(module)'; dispatch a public action of '\(owner)', or let a presenter "
            + "of '\(owner)' do it"
    }
}
