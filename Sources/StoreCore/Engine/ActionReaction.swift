/// Answers an applied action with one to dispatch.
package struct ActionReaction<State>: Sendable {
    /// Receives the action with the states before and behind it, and whether they differ; `nil`
    /// dispatches nothing. It runs where the Core works.
    let react: @Sendable (any Action, _ old: State, _ new: State, _ changed: Bool) -> (any Action)?
    /// Where it is written; the log shows it as the origin of what it dispatches.
    let place: String

    package init(
        at place: String,
        _ react: @escaping @Sendable (any Action, State, State, Bool) -> (any Action)?
    ) {
        self.place = place
        self.react = react
    }
}
