public import StoreCore

/// A function that may dispatch an action. The store calls a reaction at the start, after a change
/// of the state, after an action of one type, or after a notification.
///
/// ```swift
/// let reactions: [Reaction<AppState>] = [
///     .onStart { Greeted() },
///     .onStateChange { old, new in new.isEmpty && !old.isEmpty ? Emptied() : nil },
///     .onDispatch(of: OrderPlaced.self) { action, _, _ in StockReserved(order: action.id) },
///     .onNotification("stock", as: StockLevel.self) { StockChanged(level: $0.level) },
/// ]
/// ```
///
/// The store dispatches the action that a call returns; `nil` stands for no action. A reaction must
/// return soon, because it runs on the thread that does the Core's work.
public struct Reaction<State: Sendable>: Sendable {
    package enum Trigger: Sendable {
        case start(@Sendable () -> (any Action)?)
        case stateChange(@Sendable (State, State) -> (any Action)?)
        case dispatch(@Sendable (any Action, State, State) -> (any Action)?)
        case notification(
            name: String,
            payload: any (Decodable & Sendable).Type,
            (@Sendable (any Sendable) -> (any Action)?)
        )
    }

    package let trigger: Trigger
    /// The place of the reaction in the program's source: a file and a line. The log shows this
    /// place as the origin of the dispatched actions.
    package let sourceLocation: String

    private init(_ trigger: Trigger, _ file: String, _ line: Int) {
        self.trigger = trigger
        sourceLocation = "\(file):\(line)"
    }

    /// True for a reaction to the start of the store.
    package var isAtStart: Bool {
        if case .start = trigger { true } else { false }
    }

    /// Makes a reaction to the start of the store. Modules that start with the store have started
    /// before the reaction runs.
    public static func onStart(
        file: String = #fileID,
        line: Int = #line,
        _ react: @escaping @Sendable () -> (any Action)?
    ) -> Reaction { Reaction(.start(react), file, line) }

    /// Makes a reaction to each action that changed the state, with the states before and after the
    /// action.
    public static func onStateChange(
        file: String = #fileID,
        line: Int = #line,
        _ react: @escaping @Sendable (_ old: State, _ new: State) -> (any Action)?
    ) -> Reaction { Reaction(.stateChange(react), file, line) }

    /// Makes a reaction to each action of exactly this type, with the states before and after the
    /// action.
    public static func onDispatch<A: Action>(
        of type: A.Type,
        file: String = #fileID,
        line: Int = #line,
        _ react: @escaping @Sendable (A, _ old: State, _ new: State) -> (any Action)?
    ) -> Reaction {
        Reaction(
            .dispatch { action, old, new in (action as? A).flatMap { react($0, old, new) } },
            file,
            line
        )
    }

    /// Makes a reaction to a notification by a client. Over HTTP, the notification is a
    /// `POST /notify/<name>` whose body is the payload.
    public static func onNotification<Payload: Decodable & Sendable>(
        _ name: String,
        as payload: Payload.Type,
        file: String = #fileID,
        line: Int = #line,
        _ react: @escaping @Sendable (Payload) -> (any Action)?
    ) -> Reaction {
        Reaction(
            .notification(name: name, payload: payload) { ($0 as? Payload).flatMap(react) },
            file,
            line
        )
    }
}

extension Core {
    /// Adds a reaction. A reaction to the start runs once, after the work that already waits for
    /// the Core. Does not add a reaction to a notification, because only a server gets
    /// notifications.
    ///
    /// - Returns: a command that removes the reaction.
    @discardableResult
    public func add(reaction: Reaction<State>) -> PlainCommand {
        let place = reaction.sourceLocation
        switch reaction.trigger {
        case .start(let react):
            engine.enqueue { [weak engine] in
                if let action = react() {
                    engine?.dispatchProgramAction(action, from: ActionSource(sourceLocation: place))
                }
            }
            return PlainCommand {}
        case .notification: return PlainCommand {}
        case .stateChange(let react):
            return add(ActionReaction(at: place) { $3 ? react($1, $2) : nil })
        case .dispatch(let react):
            return add(ActionReaction(at: place) { action, old, new, _ in react(action, old, new) })
        }
    }
}
