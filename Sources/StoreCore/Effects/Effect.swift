/// Work outside the Core, as a value: a reducer returns it with the change, and one runner does it.
///
/// ```swift
/// func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
///     switch action {
///     case .searchChanged(let text):
///         state.text = text
///         return .run(id: "search", cancelInFlight: true) { context in
///             let titles = try await context.dependencies.movies.search(text)
///             try await context.dispatch(Internal.found(titles))
///         }
///     case .closed:
///         state.text = ""
///         return .cancel(id: "search")
///     }
/// }
/// ```
///
/// It is the reducer of an ``EffectfulModule``. Effects run concurrently, after the action is
/// durable. An effect ends with its module: when that is stopped, its effects are cancelled, and
/// nothing that they dispatch is applied any more.
public struct Effect<State: Sendable>: Sendable {
    package indirect enum Form: Sendable {
        case none
        case run(Run)
        case merge([Effect])
        case concatenate([Effect])
        case cancel(String)
        /// Cancels all that works for a session.
        case endSession(String)
    }

    /// One piece of work.
    package struct Run: Sendable {
        let id: String?
        let cancelInFlight: Bool
        let retry: Retry
        let onRestart: RestartPolicy
        /// What it needs to run again; `nil` if a restart loses it.
        let input: Input?
        let body: @Sendable (EffectContext<State>) async throws -> any Sendable
        /// Makes an action of the error that the last try of `body` throws, or none; with the place
        /// in the source that set it.
        var recovery: (make: @Sendable (any Error) -> (any Action)?, file: String, line: Int)?

        package init(
            id: String? = nil,
            cancelInFlight: Bool = false,
            retry: Retry = .never,
            onRestart: RestartPolicy = .lost,
            input: Input? = nil,
            recovery: (make: @Sendable (any Error) -> (any Action)?, file: String, line: Int)? =
                nil,
            body: @escaping @Sendable (EffectContext<State>) async throws -> any Sendable
        ) {
            self.id = id
            self.cancelInFlight = cancelInFlight
            self.retry = retry
            self.onRestart = onRestart
            self.input = input
            self.recovery = recovery
            self.body = body
        }
    }

    /// The input from which an effect that outlives the server is made again.
    package struct Input: Sendable {
        /// The name of the side effect's type; `nil` for a module's ``KeepingModule/Work``.
        let type: String?
        let value: any Encodable & Sendable

        package init(_ value: any Encodable & Sendable, type: String? = nil) {
            self.type = type
            self.value = value
        }
    }

    package let form: Form

    package init(_ form: Form) {
        self.form = form
    }

    /// Nothing.
    public static var none: Effect { Effect(.none) }

    /// Runs `body` as a task of its own. It is lost when the server ends before it does: a closure
    /// can't be written down. Work that goes on after a restart is a value (``KeepingModule``).
    ///
    /// - Parameters:
    ///   - id: by what it can be cancelled; unique within the module.
    ///   - cancelInFlight: whether what runs under this id is cancelled first.
    ///   - retry: how often, and after what pauses, it is tried again when it throws.
    ///   - body: does the work, and dispatches what comes of it.
    /// - Returns: the effect, which does nothing until a module returns it.
    public static func run(
        id: String? = nil,
        cancelInFlight: Bool = false,
        retry: Retry = .never,
        _ body: @escaping @Sendable (EffectContext<State>) async throws -> Void
    ) -> Effect {
        Effect(
            .run(
                Run(
                    id: id,
                    cancelInFlight: cancelInFlight,
                    retry: retry,
                    body: body
                )
            )
        )
    }

    /// Runs `body` as a task of its own, and dispatches what `catch` makes of the error where it
    /// throws.
    ///
    /// ```swift
    /// .run(catch: { Internal.failed(reason: "\($0)") }) { context in
    ///     try await context.dispatch(Internal.found(context.dependencies.movies.all()))
    /// }
    /// ```
    ///
    /// `catch` is called when the last of the retries has failed, and not for an effect that is
    /// cancelled. A client that waits for such an effect waits for that action, and gets no
    /// failure.
    public static func run(
        id: String? = nil,
        cancelInFlight: Bool = false,
        retry: Retry = .never,
        catch recover: @escaping @Sendable (any Error) -> any Action,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable (EffectContext<State>) async throws -> Void
    ) -> Effect {
        Effect(
            .run(
                Run(
                    id: id,
                    cancelInFlight: cancelInFlight,
                    retry: retry,
                    recovery: (recover, file, line),
                    body: body
                )
            )
        )
    }

    /// All of them at the same time.
    public static func merge(_ effects: Effect...) -> Effect { Effect(.merge(effects)) }

    /// One after the other; one that throws or is cancelled ends the row.
    public static func concatenate(_ effects: Effect...) -> Effect { Effect(.concatenate(effects)) }

    /// Cancels what runs under this id in the module. Nothing that it dispatches is applied after
    /// the action that asked for this.
    public static func cancel(id: String) -> Effect { Effect(.cancel(id)) }

    var isNone: Bool {
        if case .none = form { return true }
        return false
    }
}

/// How often an effect that throws is tried again, and after what pauses.
public struct Retry: Sendable, Equatable, Codable {
    /// How many times it is tried again, at the most.
    public let attempts: Int
    /// The pause before the first of them; it doubles with each.
    public let pause: Duration
    /// The longest pause.
    public let pauseMax: Duration

    /// It is not tried again.
    public static let never = Retry(attempts: 0, pause: .zero, pauseMax: .zero)

    /// Tried again so often, after pauses that double from `pause` to `pauseMax`.
    public static func times(
        _ attempts: Int,
        pause: Duration = .milliseconds(100),
        pauseMax: Duration = .seconds(30)
    ) -> Retry {
        Retry(attempts: max(0, attempts), pause: pause, pauseMax: max(pause, pauseMax))
    }

    /// The pause before the attempt of this number, from 1.
    func pause(before attempt: Int) -> Duration {
        var pause = pause
        for _ in 1..<max(1, attempt) where pause < pauseMax { pause *= 2 }
        return min(pause, pauseMax)
    }
}

/// What becomes of an effect that has not ended when the server does.
///
/// An effect runs again only where its author has chosen that: it may do harm. Only work that is a
/// value has the choice (``KeepingModule``); a closure is always lost.
public enum RestartPolicy: String, Sendable, Codable {
    /// It is gone. The state may still be one that waits for it.
    case lost
    /// It is run again from its beginning, for the session that its action came from: doing it
    /// twice does no harm.
    case retried
    /// It is not run again; the next start dispatches what ``Module/interrupted(after:)`` returns.
    case reported
}
