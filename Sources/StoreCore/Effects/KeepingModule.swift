/// A module with work that goes on after a restart.
///
/// A closure can't be written down, so this work is a value: an enum with all that is needed to do
/// it. The ledger of the state, ``PendingEffects``, keeps the value from the step that asks for
/// the work until the work has ended. A start reads it there, and needs nothing of the past.
///
/// ```swift
/// struct Orders: KeepingModule {
///     struct State: ModuleState { var placed: [String] = [] }
///     enum Action: ModuleAction { case placed(id: String) }
///     enum Work: ModuleWork { case webhook(order: String) }
///
///     func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
///         switch action {
///         case .placed(let id):
///             state.placed.append(id)
///             return keep(.webhook(order: id), retry: .times(5))
///         }
///     }
///
///     func perform(_ work: Work, _ context: EffectContext<State>) async throws {
///         switch work {
///         case .webhook(let order): try await context.dependencies.hooks.send(order)
///         }
///     }
/// }
/// ```
///
/// The work may be done twice: a server may end when the work is done and its entry is not removed.
/// A change of ``Work`` meets values that an earlier program has written. A value that can't be
/// read any more is not run; the log says so, and the module gets ``Module/interrupted(after:)``.
public protocol KeepingModule<State>: EffectfulModule {
    /// The work that outlives the server. Encoded, a value has at most 65,536 bytes
    /// (``KeptWork/inputBytesMax``): an action whose work has more fails, and is not applied.
    associatedtype Work: ModuleWork

    /// Does the work; from its beginning, where it is run again.
    func perform(_ work: Work, _ context: EffectContext<State>) async throws

    /// The action that the module gets when the last try of its work has thrown `error`; `nil` for
    /// none.
    func failed(_ work: Work, _ error: any Error) -> Internal?
}

/// What the enum of a module's kept work has to be: plain values that can be written down.
public protocol ModuleWork: Codable, Equatable, Sendable {}

extension KeepingModule {
    /// Nothing.
    public func failed(_ work: Work, _ error: any Error) -> Internal? { nil }

    /// Runs work that outlives the server.
    ///
    /// - Parameters:
    ///   - work: what ``perform(_:_:)`` gets, now and after a restart.
    ///   - id: by what it can be cancelled; unique within the module.
    ///   - cancelInFlight: whether work that runs under this id is cancelled first.
    ///   - retry: how often, and after what pauses, it is tried again when it throws.
    ///   - onRestart: what becomes of it when the server ends before it does.
    ///   - file: where the call stands: the origin of ``failed(_:_:)``'s action in the log.
    ///   - line: likewise.
    /// - Returns: the effect, which does nothing until a reducer returns it.
    public func keep(
        _ work: Work,
        id: String? = nil,
        cancelInFlight: Bool = false,
        retry: Retry = .never,
        onRestart: RestartPolicy = .retried,
        file: String = #fileID,
        line: Int = #line
    ) -> Effect<State> {
        var run = Effect<State>.Run(
            id: id,
            cancelInFlight: cancelInFlight,
            retry: retry,
            onRestart: onRestart,
            input: .init(work)
        ) { [self] context in
            try await perform(work, context)
        }
        run.recovery = ({ [self] in failed(work, $0) }, file, line)
        return Effect(.run(run))
    }

    /// The effect of work that the ledger has kept.
    func effect(again work: KeptWork, _ codec: any WorkCodec) throws -> Effect<State> {
        keep(
            try work.value(as: Work.self, codec),
            id: work.id,
            cancelInFlight: work.cancelInFlight ?? false,
            retry: work.retry ?? .never,
            file: "StoreCore/PendingEffects",
            line: 0
        )
    }
}
