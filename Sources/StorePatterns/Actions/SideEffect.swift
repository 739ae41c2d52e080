public import StoreCore

/// An action that changes no state, and leads to work outside the Core. The work dispatches its
/// results.
///
/// ```swift
/// struct Multiply: SideEffect {
///     let a: Int
///     let b: Int
///
///     func sideEffect(_ context: EffectContext<Counter.State>) async throws -> Int {
///         a * b
///     }
/// }
/// ```
///
/// If a client waits for the side effect, the answer has the return value as `value`, or the thrown
/// error as its problem.
public protocol SideEffect<State, Value>: Dispatchable {
    /// The type of the slice in the context of the work: the state of the module that lists the
    /// action.
    associatedtype State: ModuleState
    /// The type of the return value.
    associatedtype Value: Sendable = Void

    /// Does the work. Several side effects may run at the same time.
    func sideEffect(_ context: EffectContext<State>) async throws -> Value
}

/// A side effect with two policies: for a failure of the work, and for a server that ends before
/// the work.
public protocol RetriedSideEffect: SideEffect {
    /// The policy for further tries after a failure.
    static var retry: Retry { get }
    /// The policy for a restart of the server.
    static var onRestart: RestartPolicy { get }
}

extension RetriedSideEffect {
    /// The default policy: a restart loses the work.
    public static var onRestart: RestartPolicy { .lost }
}

extension SideEffect {
    /// The handling of a side effect: the work begins when the action is durable.
    public static var handling: ActionHandling { ActionHandling(SideEffectHandling<Self>()) }
}

extension EffectContext {
    /// Dispatches a side effect, and returns its value.
    ///
    /// - Throws: the errors of `dispatch(_:file:line:)` and of the side effect.
    public func value<E: SideEffect>(
        of effect: E,
        file: String = #fileID,
        line: Int = #line
    ) async throws -> E.Value {
        guard let value = try await resultOfDispatching(effect, file: file, line: line) as? E.Value
        else {
            throw CancellationError()
        }
        return value
    }
}

private struct SideEffectHandling<Work: SideEffect>: HandlerMaker {
    private var policy: (any RetriedSideEffect.Type)? { Work.self as? any RetriedSideEffect.Type }

    var onRestart: RestartPolicy { policy?.onRestart ?? .lost }

    func reducer<Root, State>(
        of module: String,
        at place: some SlicePlace<Root, State>
    ) -> SliceReducer<Root>? {
        let place = place as? any SlicePlace<Root, Work.State>
        return place?.effectReducer(module) { effect(of: $0) }
    }

    func effect<State: ModuleState>(
        restoring work: KeptWork,
        _ codec: any WorkCodec
    ) throws -> Effect<State>? {
        effect(of: try work.value(as: Work.self, codec)) as? Effect<State>
    }

    private func effect(of action: Work) -> Effect<Work.State> {
        let run = Effect<Work.State>.Run(
            retry: policy?.retry ?? .never,
            onRestart: onRestart,
            input: onRestart == .retried ? .init(action, type: "\(Work.self)") : nil
        ) { try await action.sideEffect($0) }
        return Effect(.run(run))
    }
}
