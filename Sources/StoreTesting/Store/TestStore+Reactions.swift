public import StoreCore
public import StorePatterns
public import Testing

extension TestStore where Subject == State, State: RootState {
    /// Adds an interceptor, behind the existing interceptors.
    ///
    /// `send` states the changes of the whole step at once. The step consists of the interceptor's
    /// replacement for the sent action, and of the actions added behind it.
    public func add(interceptor: @escaping Interceptor<State>) {
        isIntercepted = true
        (core as? Core<State>)?.add(interceptor: interceptor)
    }

    /// Adds a reaction. The test has to receive the actions that it dispatches, also if it is a
    /// reaction to the start.
    public func add(reaction: Reaction<State>) {
        if case .notification(let name, _, let react) = reaction.trigger {
            notifications.append(.init(name: name, place: reaction.place, react: react))
        }
        (core as? Core<State>)?.add(reaction: reaction)
    }

    /// Sends a notification to the store, as `POST /notify/<name>` does.
    ///
    /// ```swift
    /// await store.notify("stock", StockLevel(level: 3))
    /// await store.receive(StockChanged(level: 3)) { $0.stock.level = 3 }
    /// ```
    public nonisolated(nonsending) func notify(
        _ name: String,
        _ payload: any Sendable,
        at place: SourceLocation = #_sourceLocation
    ) async {
        let meant = notifications.filter { $0.name == name }
        if meant.isEmpty {
            fail("No reaction follows '\(name)'.", "Add it: store.add(reaction: …)", at: place)
        }
        report(unstated: events.take(), before: "'\(name)' is notified", at: place)
        for notification in meant {
            guard let action = notification.react(payload) else { continue }
            (core as? Core<State>)?.handle.dispatchProgramAction(action, at: notification.place)
        }
        await rest(at: place)
    }
}
