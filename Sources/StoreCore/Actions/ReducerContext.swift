/// The data that a reducer may get beside an action: its sender, its time, and its place in
/// history.
///
/// ```swift
/// struct Board: ContextualModule {
///     struct State: ModuleState {
///         var owner = ""
///         var closedAt: Int64?
///     }
///
///     enum Action: ModuleAction { case closed }
///
///     func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) throws {
///         guard context.principal?.name == state.owner else {
///             throw Refusal.forbidden("Only the owner closes the board.")
///         }
///         state.closedAt = context.time
///     }
/// }
/// ```
///
/// The journal has all these values, so a replay gives the reducer the same context. A reducer that
/// uses only the state, the action and the context is therefore pure.
public struct ReducerContext: Sendable, Hashable {
    /// The version that the action makes if it is committed.
    public let version: UInt64
    /// The time at which the Core took the action, in nanoseconds since 1970. The times of a
    /// history need not ascend: an operator may set the clock of the machine back.
    public let time: Int64
    /// The principal that dispatched the action. An action that follows another action has the same
    /// principal. `nil` for a client without a credential, and for the program if no principal led
    /// to the action.
    public let principal: ActionPrincipal?
    /// The session that dispatched the action, or the session of the action that led to it.
    /// `shared` for a client without a session, and for the program if no session led to the
    /// action.
    public let session: String
    /// The id of the instance that the action is for; `nil` if the module has no instances.
    public let instance: String?
    /// The version of the action that led to this action; `nil` if no action did.
    public let cause: UInt64?

    /// Makes a context, for a test that calls a reducer.
    ///
    /// - Parameters:
    ///   - principal: the sender of the action.
    ///   - session: the session of the sender.
    ///   - instance: the id of the instance.
    ///   - version: the version that the action makes.
    ///   - time: the time of the action, in nanoseconds since 1970.
    ///   - cause: the version of the action that led to this action.
    public init(
        as principal: ActionPrincipal? = nil,
        session: String = "shared",
        instance: String? = nil,
        version: UInt64 = 1,
        time: Int64 = 0,
        cause: UInt64? = nil
    ) {
        self.version = version
        self.time = time
        self.principal = principal
        self.session = session
        self.instance = instance
        self.cause = cause
    }
}

/// The source of the values in a ``ReducerContext``. The context is made only if a reducer takes a
/// context.
///
/// The origin points to an envelope or to a record, and owns neither. A copy of an origin therefore
/// needs no reference counting, and costs little if no reducer takes a context. An origin is valid
/// only during the call that it is passed to.
package struct ReducerContextSource {
    /// The source of the sender and the cause.
    private enum Source {
        case envelope(Unmanaged<Envelope>)
        case record(
            principal: UnsafeRawBufferPointer?,
            session: UnsafeRawBufferPointer?,
            cause: UInt64?
        )
    }

    /// The version that the action makes.
    package let version: UInt64
    /// The time of the action, in nanoseconds since 1970.
    package let time: Int64
    private let source: Source

    /// Makes the origin of an action that a Core applies at `time`.
    @inline(__always)
    init(version: UInt64, time: Int64, _ envelope: Envelope) {
        self.version = version
        self.time = time
        source = .envelope(Unmanaged.passUnretained(envelope))
    }

    /// Makes the origin of a replayed action.
    package init(_ record: RecordView) {
        version = record.version
        time = record.time
        source = .record(
            principal: record.principal,
            session: record.session,
            cause: record.cause
        )
    }

    /// Makes the origin of an action without a sender.
    package init(version: UInt64) {
        self.version = version
        time = 0
        source = .record(principal: nil, session: nil, cause: nil)
    }

    /// The principal of the action; `nil` if no principal dispatched it.
    package var principal: ActionPrincipal? {
        switch source {
        case .envelope(let envelope): envelope._withUnsafeGuaranteedRef(\.principal)
        case .record(let principal, _, _): principal.map(Self.principal(in:))
        }
    }

    /// The ``ReaderName`` of the sender, if the sender may act only on the restricted slices that
    /// it reads; `nil` for operators, the program and replays.
    var restrictedClient: String? {
        guard case .envelope(let envelope) = source else { return nil }
        return envelope._withUnsafeGuaranteedRef { envelope in
            guard envelope.isLimitedToReadableSlices else { return nil }
            let principal = envelope.principal
            let owner = OwnerName.ofClient(as: principal?.name, in: envelope.session)
            return ReaderName.client(owner, role: principal?.role)
        }
    }

    private static func principal(in bytes: UnsafeRawBufferPointer) -> ActionPrincipal {
        ActionPrincipal(String(decoding: bytes, as: UTF8.self))
    }

    /// Makes the context of a reducer for an instance.
    @inline(__always)
    package func context(of instance: String?) -> ReducerContext {
        let (principal, session, cause): (ActionPrincipal?, String?, UInt64?)
        switch source {
        case .envelope(let envelope):
            (principal, session, cause) = envelope._withUnsafeGuaranteedRef {
                ($0.principal, $0.session, $0.source?.cause)
            }
        case .record(let principalBytes, let sessionBytes, let storedCause):
            principal = principalBytes.map(Self.principal(in:))
            session = sessionBytes.map { String(decoding: $0, as: UTF8.self) }
            cause = storedCause
        }
        return ReducerContext(
            as: principal,
            session: session ?? SessionName.shared,
            instance: instance,
            version: version,
            time: time,
            cause: cause
        )
    }
}
