package import StorePlatform
package import StoreTraces
import Synchronization

/// The ports and bounds of a Core.
@dynamicMemberLookup
package struct CoreConfiguration<State: Sendable>: Sendable {
    package typealias Driver = EnginePorts.Driver

    package var ports = EnginePorts()
    /// The sink that encodes and publishes the durable states; `nil` if nothing is published.
    package var sink: (any StateSink<State>)?
    /// The closure that compares the states before and after an action, and returns `true` if they
    /// differ. Without this closure, every action counts as a change. If the state is made of
    /// modules, the Core compares the slices, and does not call this closure.
    package var statesDiffer: (@Sendable (State, State) -> Bool)?
    /// The function that compares the bytes of two slices that are equal by `==`. Without this
    /// function, equal slices count as slices with the same bytes.
    package var haveSameBytes: ByteComparison?
    /// The codec of the effects that outlive the server. Without a codec, no effect runs again
    /// after a restart.
    package var workCodec: (any WorkCodec)?
    /// The collections that record the modules whose slices were written by accepted actions. Each
    /// writer of encoded slices has a collection, and encodes only the recorded modules again.
    package var editedModules: [EditedModules] = []

    package init() {}

    /// Accesses the ports that do not depend on the state's type.
    package subscript<Value>(dynamicMember member: WritableKeyPath<EnginePorts, Value>) -> Value {
        get { ports[keyPath: member] }
        set { ports[keyPath: member] = newValue }
    }
}

/// A reducer: a function of one of three types, or the reducer of a state that is made of modules.
package enum AnyReducer<State: Sendable>: Sendable {
    case returning(@Sendable (State, any Action) -> State)
    case mutating(@Sendable (inout State, any Action) -> Void)
    case throwing(@Sendable (inout State, any Action) throws -> Void)
    case modular(any ModularReducer<State>)
}

/// The ports and bounds of a Core that do not depend on the state's type.
package struct EnginePorts: Sendable {
    /// The thread that does the Core's work.
    package enum Driver: Sendable {
        /// The thread of the caller, if the Core is idle when the caller dispatches.
        case caller
        /// The Core's own thread, from ``Core/start()`` on.
        case thread
        /// The threads of a pool, one at a time, from ``Core/start()`` on.
        case pool(ThreadPool)
    }

    /// The default of ``clientMailboxMax`` and ``programMailboxMax``.
    private static let defaultMailboxMax = 65_536

    package var driver = Driver.caller
    /// The maximum number of waiting actions of clients.
    package var clientMailboxMax = Self.defaultMailboxMax
    /// The maximum number of waiting actions of the program itself. The number includes actions of
    /// effects, presenters and reactions, and client requests that are no actions.
    package var programMailboxMax = Self.defaultMailboxMax
    /// The maximum number of actions in one batch, which is one append to the journal. A single
    /// envelope may exceed this bound.
    package var batchActionsMax = 1_024
    package var clock: any WallClock = SystemClock()
    /// The clock for the ages of idempotency keys; `nil` means ``clock``.
    package var idempotencyKeyClock: (any WallClock)?
    /// The journal that stores the applied actions; `nil` if the actions are not stored.
    package var journal: (any Journal)?
    /// The number of this program in the journal. Each record has the number of the program that
    /// wrote the record.
    package var programNumber: UInt32 = 0
    /// The version of the initial state; `nil` means the version of the journal. Set this member if
    /// other writers may have appended since the state was made.
    package var initialVersion: UInt64?
    /// The reader of the records that other writers have appended. Only the thread that does the
    /// Core's work uses the reader.
    package var reader: (any ActionReader)?
    package var effects: EffectRunner?
    /// The function that makes the journal's form of an action that is dispatched in process.
    /// Without this function, an envelope has only the name of the action's type.
    package var makeMember: (@Sendable (any Action) throws -> EnvelopeMember)?
    package var follower: (any CommitFollower)?
    /// The object that decides which modules are presented to each session.
    var presentation: (any Presentation)?
    /// The function that sends commands to the screens of sessions; `nil` if there are no sessions.
    package var sendScreenCommand: (@Sendable (ScreenCommand) -> Void)?
    /// The function that the Core calls when the journal fails: an append has an unknown outcome,
    /// or this Core cannot apply other writers' records. From then on, the Core applies nothing.
    /// The next start finds the stored actions in the journal.
    package var onJournalFailure: @Sendable (JournalError) -> Void = { _ in }
    /// The action that the Core is reducing now.
    package var progress: ReducerProgress?
    /// True if some clients see only some of the modules. A client's version condition then depends
    /// only on the modules that the client sees.
    package var limitsVisibleModules = false
    /// The receiver of the measurements; `nil` if nothing is measured.
    package var figures: CoreFigures?
    /// The recorder of the spans of sampled traces; `nil` if no traces are exported.
    package var tracing: StoreTracing?

    package init() {}
}

/// The action that the Core is reducing now. The watchdog reads this value to find a reducer that
/// takes too long.
///
/// The thread that does the Core's work writes the value; any thread may read it.
package final class ReducerProgress: Sendable {
    /// An action that is being reduced.
    package struct CurrentAction: Sendable, Equatable {
        /// The wire name of the action.
        package let type: String
        /// The version that the action makes.
        package let version: UInt64
    }

    private let current = Locked<CurrentAction?>(nil)

    package init() {}

    /// The action that is being reduced now; `nil` if there is none.
    package var currentAction: CurrentAction? { current.withLock { $0 } }

    func begin(_ type: String, _ version: UInt64) {
        current.withLock { $0 = CurrentAction(type: type, version: version) }
    }

    func end() { current.withLock { $0 = nil } }
}
