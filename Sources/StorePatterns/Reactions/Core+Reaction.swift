public import StoreCore

extension Core {
    /// Adds a reaction. A reaction to the start dispatches at once. A reaction to a notification
    /// has no effect here, because only a server gets notifications.
    ///
    /// - Returns: a command that removes the reaction.
    @discardableResult
    public func add(reaction: Reaction<State>) -> PlainCommand {
        let place = reaction.place
        switch reaction.trigger {
        case .start(let react):
            enqueue { [weak self] in
                if let action = react() { self?.handle.dispatchProgramAction(action, at: place) }
            }
            return PlainCommand {}
        case .notification:
            return PlainCommand {}
        case .stateChange(let react):
            return add(ActionReaction(at: place) { $3 ? react($1, $2) : nil })
        case .dispatch(let react):
            return add(ActionReaction(at: place) { action, old, new, _ in react(action, old, new) })
        }
    }

    /// Adds a middleware, like ``/StoreCore/Core/add(middleware:)``; this is the name in Unicore.
    @discardableResult
    public func onAction(
        execute: @escaping @Sendable (State, any Action) -> Void
    ) -> PlainCommand {
        add(middleware: execute)
    }
}
