/// A module with work that continues after a restart.
///
/// A closure cannot be encoded, so this work is a value: an enum with all the data of the work. The
/// action that asks for the work also puts the value into ``PendingEffects``, the ledger in the
/// state. The value stays there until the work has ended. The next start of the store reads the
/// value from the ledger, and needs no history.
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
/// The work may be done twice, because a server may end after the work and before the removal of
/// the entry. After a change of ``Work``, the ledger may still have values of an earlier program.
/// Work whose value cannot be read does not run. The log reports the work, and the module gets
/// ``Module/interrupted(after:)``.
public protocol KeepingModule<State>: EffectfulModule {
    /// The work that outlives the server. An encoded value has at most 65,536 bytes
    /// (``KeptWork/inputBytesMax``). An action whose work has more bytes fails, and is not applied.
    associatedtype Work: ModuleWork

    /// Does the work. A repeated run starts from the beginning.
    func perform(_ work: Work, _ context: EffectContext<State>) async throws

    /// Returns the action that the module gets after the last try of its work has thrown `error`;
    /// `nil` for no action.
    func failed(_ work: Work, _ error: any Error) -> Internal?
}

/// The requirements for the enum of a module's kept work: plain values that can be encoded.
public protocol ModuleWork: Codable, Equatable, Sendable {}

extension KeepingModule {
    /// Returns `nil`: the module gets no action.
    public func failed(_ work: Work, _ error: any Error) -> Internal? { nil }

    /// Makes an effect whose work outlives the server.
    ///
    /// - Parameters:
    ///   - work: the argument of ``perform(_:_:)``, now and after a restart.
    ///   - id: the name for cancelling the work, unique within the module.
    ///   - cancelInFlight: if true, running work with this id is cancelled first.
    ///   - retry: the number of further tries after an error, and the pauses before them.
    ///   - onRestart: the treatment of the work if the server ends before the work.
    ///   - file: the file of the call. The log shows the file and the line as the origin of the
    ///     action of `failed`.
    ///   - line: the line of the call.
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
        let run = Effect<State>.Run(
            id: id,
            cancelInFlight: cancelInFlight,
            retry: retry,
            onRestart: onRestart,
            input: .init(work),
            recovery: ({ [self] in failed(work, $0) }, file, line)
        ) { [self] context in try await perform(work, context) }
        return Effect(.run(run))
    }

    /// Makes the effect of kept work again, from the value in the ledger.
    func effect(restoring work: KeptWork, _ codec: any WorkCodec) throws -> Effect<State> {
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
