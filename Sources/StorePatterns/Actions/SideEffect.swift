public import StoreCore

/// An action that changes nothing itself: it works outside the Core, and dispatches what comes of
/// it.
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
/// What it returns is the `value` of an answer that waits for it; what it throws is its problem.
public protocol SideEffect<State, Value>: Dispatchable {
    /// The slice that its context shows: the state of the module that lists it.
    associatedtype State: ModuleState
    /// What it returns.
    associatedtype Value: Sendable = Void

    /// Does the work. Several run at the same time.
    func sideEffect(_ context: EffectContext<State>) async throws -> Value
}

/// A side effect with a policy for its failure, and for the end of the server before its own.
public protocol RetriedSideEffect: SideEffect {
    /// How often it is tried again.
    static var retry: Retry { get }
    /// What becomes of it on a restart.
    static var onRestart: RestartPolicy { get }
}

extension RetriedSideEffect {
    /// It is lost.
    public static var onRestart: RestartPolicy { .lost }
}

extension SideEffect {
    /// It does its work once it is durable.
    public static var handling: ActionHandling { ActionHandling(SideEffectHandling<Self>()) }
}

extension EffectContext {
    /// Dispatches a side effect, and waits for what it returns.
    ///
    /// - Throws: as `dispatch(_:file:line:)`, and what the side effect throws.
    public func value<E: SideEffect>(
        of effect: E,
        file: String = #fileID,
        line: Int = #line
    ) async throws -> E.Value {
        guard let value = try await result(of: effect, file: file, line: line) as? E.Value else {
            throw CancellationError()
        }
        return value
    }
}

private struct SideEffectHandling<Work: SideEffect>: HandlerMaker {
    func handler<Root, State>(
        of module: String,
        at place: SlicePlace<Root, State>
    ) -> ActionHandler<Root>? {
        guard let place = place as? SlicePlace<Root, Work.State> else { return nil }
        return ActionHandler(
            Work.self,
            .dispatchable,
            wire: Work.self,
            reduce: place.working(module) { Self.effect(of: $0) }
        )
    }

    var onRestart: RestartPolicy {
        (Work.self as? any RetriedSideEffect.Type)?.onRestart ?? .lost
    }

    func effect<State: ModuleState>(
        again work: KeptWork,
        _ codec: any WorkCodec
    ) throws -> Effect<State>? {
        Self.effect(of: try work.value(as: Work.self, codec)) as? Effect<State>
    }

    /// A side effect works for a slice, and ends with it.
    func handler<Root>(of whole: RootMember<Root, Root>) -> ActionHandler<Root>? { nil }

    private static func effect(of action: Work) -> Effect<Work.State> {
        let policy = Work.self as? any RetriedSideEffect.Type
        let onRestart = policy?.onRestart ?? .lost
        return Effect(
            .run(
                .init(
                    retry: policy?.retry ?? .never,
                    onRestart: onRestart,
                    input: onRestart == .retried ? .init(action, type: "\(Work.self)") : nil
                ) {
                    try await action.sideEffect($0)
                }
            )
        )
    }
}
