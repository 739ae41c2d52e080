/// A function that answers an applied action with another action to dispatch.
package struct ActionReaction<State>: Sendable {
    /// Receives the action, the states before and after it, and `true` if they differ. Returns the
    /// action to dispatch; `nil` for none. The function runs on the thread that does the Core's
    /// work.
    let react: @Sendable (any Action, _ old: State, _ new: State, _ changed: Bool) -> (any Action)?
    /// The place of the reaction in the source. The log shows it as the origin of the dispatched
    /// action.
    let place: String

    package init(
        at place: String,
        _ react: @escaping @Sendable (any Action, State, State, Bool) -> (any Action)?
    ) {
        self.place = place
        self.react = react
    }
}
