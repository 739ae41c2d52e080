public import StoreCore

/// Dispatches an action of its own accord: when the store starts, when the state changes, after an
/// action of a type, or when something outside calls.
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
/// Each call dispatches at most one action; `nil` means that there is nothing to do. It only
/// decides: it runs where the Core works.
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
    /// Where it is written, which the log shows as the origin of what it dispatches.
    package let place: String

    private init(_ trigger: Trigger, _ file: String, _ line: Int) {
        self.trigger = trigger
        place = "\(file):\(line)"
    }

    /// Whether it reacts to the start alone.
    package var isAtStart: Bool {
        if case .start = trigger { true } else { false }
    }

    /// Once, before anything else is applied but the starts of modules that start with the store.
    public static func onStart(
        file: String = #fileID,
        line: Int = #line,
        _ react: @escaping @Sendable () -> (any Action)?
    ) -> Reaction {
        Reaction(.start(react), file, line)
    }

    /// After each action that changed the state, given the state before and after it.
    public static func onStateChange(
        file: String = #fileID,
        line: Int = #line,
        _ react: @escaping @Sendable (_ old: State, _ new: State) -> (any Action)?
    ) -> Reaction {
        Reaction(.stateChange(react), file, line)
    }

    /// After each action of exactly this type, given the state before and after it.
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

    /// When a client notifies the store: over HTTP `POST /notify/<name>`, whose body is the
    /// payload.
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
