/// What a reaction makes of an action that was applied; with the place that it is written at.
struct ReactionRun<State> {
    let react: @Sendable (any Action, State, State, _ changed: Bool) -> (any Action)?
    let place: String
}
