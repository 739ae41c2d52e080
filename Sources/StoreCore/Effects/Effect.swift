/// Work outside the Core, as a value. A reducer returns the effect, and the runner does the work
/// after the commit.
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
/// The example is the reducer of an ``EffectfulModule``. Effects run concurrently, after the action
/// is durable. When a module is stopped, its effects are cancelled. Actions that a cancelled effect
/// still dispatches are not applied.
public struct Effect<State: Sendable>: Sendable {
    package indirect enum Kind: Sendable {
        case none
        case run(Run)
        case merge([Effect])
        case concatenate([Effect])
        case cancel(String)
        /// Sets a timer, an entry of ``Schedule``.
        case timer(TimerRequest)
        /// Cancels all effects that follow actions of a session.
        case endSession(String)
        case endUser(String)
    }

    package struct Run: Sendable {
        let id: String?
        let cancelInFlight: Bool
        /// The pause before the first try of `body`; `nil` for no pause.
        let quietTime: Duration?
        let retry: Retry
        let onRestart: RestartPolicy
        /// The data for a run after a restart; `nil` if a restart loses the effect.
        let input: Input?
        let body: @Sendable (EffectContext<State>) async throws -> any Sendable
        let recovery: Recovery?

        package init(
            id: String? = nil,
            cancelInFlight: Bool = false,
            quietTime: Duration? = nil,
            retry: Retry = .never,
            onRestart: RestartPolicy = .lost,
            input: Input? = nil,
            recovery: Recovery? = nil,
            body: @escaping @Sendable (EffectContext<State>) async throws -> any Sendable
        ) {
            self.id = id
            self.cancelInFlight = cancelInFlight
            self.quietTime = quietTime
            self.retry = retry
            self.onRestart = onRestart
            self.input = input
            self.recovery = recovery
            self.body = body
        }
    }

    /// A function that may make an action from the error of an effect's last try. `file` and `line`
    /// are the place of the call that passed the function.
    package typealias Recovery =
        (make: @Sendable (any Error) -> (any Action)?, file: String, line: Int)

    /// The stored input of an effect that outlives the server. A start of the server makes the
    /// effect again from this input.
    package struct Input: Sendable {
        /// The name of the side effect's type; `nil` for a module's ``KeepingModule/Work``.
        let type: String?
        let value: any Encodable & Sendable

        package init(_ value: any Encodable & Sendable, type: String? = nil) {
            self.type = type
            self.value = value
        }
    }

    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// An effect that does nothing.
    public static var none: Effect { Effect(.none) }

    /// Makes an effect that runs `body` as a task of its own. If the server ends first, the effect
    /// is lost, because a closure cannot be encoded. For work that continues after a restart, see
    /// ``KeepingModule``.
    ///
    /// ```swift
    /// .run(catch: { Internal.failed(reason: "\($0)") }) { context in
    ///     try await context.dispatch(Internal.found(context.dependencies.movies.all()))
    /// }
    /// ```
    ///
    /// The runner calls `catch` after the last retry has failed, but not for a cancelled effect. A
    /// client that waits for the effect also waits for the action of `catch`, and gets no failure.
    ///
    /// - Parameters:
    ///   - id: the name for cancelling the effect, unique within the module.
    ///   - cancelInFlight: if true, a running effect with this id is cancelled first.
    ///   - retry: the number of further tries after an error, and the pauses before them.
    ///   - recover: makes an action from the error of the last try; `nil` to dispatch none.
    ///   - file: the file of the call, which the log names as the origin of `recover`'s action.
    ///   - line: the line of the call.
    ///   - body: does the work, and dispatches the results.
    /// - Returns: the effect, which does nothing until a module returns it.
    public static func run(
        id: String? = nil,
        cancelInFlight: Bool = false,
        retry: Retry = .never,
        catch recover: (@Sendable (any Error) -> any Action)? = nil,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable (EffectContext<State>) async throws -> Void
    ) -> Effect {
        let run = Run(
            id: id,
            cancelInFlight: cancelInFlight,
            retry: retry,
            recovery: recover.map { ($0, file, line) },
            body: body
        )
        return Effect(.run(run))
    }

    /// Makes an effect that first waits for `quietTime`, and then runs `body`. A newer effect with
    /// the same id replaces this effect, even while `body` runs. Therefore, of many actions in
    /// quick succession, only the last action leads to a run of `body`.
    ///
    /// ```swift
    /// case .searchChanged(let text):
    ///     state.text = text
    ///     return .debounced(id: "search", for: .milliseconds(300)) { context in
    ///         let titles = try await context.dependencies.movies.search(text)
    ///         try await context.dispatch(Internal.found(titles))
    ///     }
    /// ```
    ///
    /// The effect pauses on the clock of the ``Dependencies``. The id belongs to the slice: a new
    /// effect does not replace an effect of another session or instance. ``cancel(id:)`` also
    /// cancels an effect that still waits. If the server ends first, the effect is lost, because a
    /// closure cannot be encoded. For work that has to outlive the server, `body` dispatches an
    /// action whose reducer keeps the work.
    ///
    /// - Parameters:
    ///   - id: the name for replacing and cancelling the effect, unique within the module.
    ///   - quietTime: the time without a newer effect of this id before `body` runs.
    ///   - retry: the number of further tries after an error, and the pauses before them. The quiet
    ///     time comes before the first try only.
    ///   - recover: makes an action from the error of the last try; `nil` to dispatch none.
    ///   - file: the file of the call, which the log names as the origin of `recover`'s action.
    ///   - line: the line of the call.
    ///   - body: does the work, and dispatches the results.
    /// - Returns: the effect, which does nothing until a module returns it.
    public static func debounced(
        id: String,
        for quietTime: Duration,
        retry: Retry = .never,
        catch recover: (@Sendable (any Error) -> any Action)? = nil,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable (EffectContext<State>) async throws -> Void
    ) -> Effect {
        let run = Run(
            id: id,
            cancelInFlight: true,
            quietTime: quietTime,
            retry: retry,
            recovery: recover.map { ($0, file, line) },
            body: body
        )
        return Effect(.run(run))
    }

    /// Makes an effect that runs all of these effects at the same time.
    public static func merge(_ effects: Effect...) -> Effect { Effect(.merge(effects)) }

    /// Makes an effect that runs these effects one after the other, until an effect throws or is
    /// cancelled.
    public static func concatenate(_ effects: Effect...) -> Effect { Effect(.concatenate(effects)) }

    /// Makes an effect that cancels the module's effects with this id, and removes the timer with
    /// this id. After the action whose reducer returned this effect, the Core applies no more
    /// actions of the cancelled effects.
    public static func cancel(id: String) -> Effect { Effect(.cancel(id)) }

    var isNone: Bool {
        if case .none = kind { return true }
        return false
    }
}

/// The number of further tries of an effect that throws, and the pauses before these tries.
public struct Retry: Sendable, Equatable, Codable {
    /// The largest number of further tries.
    public let attempts: Int
    /// The pause before the first further try. The pause doubles with each try.
    public let pause: Duration
    /// The longest pause.
    public let pauseMax: Duration

    /// A policy without further tries.
    public static let never = Retry(attempts: 0, pause: .zero, pauseMax: .zero)

    /// Makes a policy of `attempts` further tries, after pauses that double from `pause` to
    /// `pauseMax`.
    public static func times(
        _ attempts: Int,
        pause: Duration = .milliseconds(100),
        pauseMax: Duration = .seconds(30)
    ) -> Retry { Retry(attempts: max(0, attempts), pause: pause, pauseMax: max(pause, pauseMax)) }

    /// Returns the pause before a further try. The first further try has the number 1.
    func pause(before attempt: Int) -> Duration {
        var pause = pause
        for _ in 1..<max(1, attempt) where pause < pauseMax { pause *= 2 }
        return min(pause, pauseMax)
    }
}

/// The treatment of an effect that has not ended when the server ends.
///
/// An effect runs again only if the program has chosen ``retried``, because a second run may do
/// harm. Only work that is a value offers this choice (``KeepingModule``); an effect with a closure
/// is always lost.
public enum RestartPolicy: String, Sendable, Codable {
    /// The effect is lost, and its module gets no action. A state that waits for the effect's
    /// result waits forever.
    case lost
    /// The effect runs again from its beginning, for the session that led to the effect. Choose
    /// this policy only if a second run does no harm.
    case retried
    /// The effect does not run again. The next start dispatches the result of
    /// ``Module/interrupted(after:)``.
    case reported
}
