import StoreCore
import StorePlatform
import Synchronization

/// What a store under test did by itself: an action that an effect or a presenter dispatched, or an
/// effect that threw.
struct TestEvent<State: Sendable>: Sendable {
    enum Form: Sendable {
        /// Applied, and led to this state.
        case action(any Action, State)
        /// The effect of this id threw.
        case failure(String, any Error)
    }

    let form: Form
    /// The action's version; that of the action it follows, for a failure.
    let version: UInt64
    /// The version of the action that led to it.
    let cause: UInt64
    /// The place in the program that dispatched it.
    let origin: String?
}

/// All that happened and that the test has not stated yet, in order.
final class TestEvents<State: Sendable>: Sendable {
    private struct Table: Sendable {
        var waiting: [TestEvent<State>] = []
        /// Actions whose states are still to come, in order.
        var applied: [StampedAction] = []
        var names: [UInt64: String] = [:]
    }

    private let table = Locked(Table())
    private let changes: Changes

    init(_ changes: Changes) {
        self.changes = changes
    }

    /// An action is durable. The Core's thread.
    func applied(_ action: StampedAction) {
        let name = ActionText.of(action.action)
        table.withLock { table in
            table.applied.append(action)
            table.names[action.version] = name
        }
    }

    /// The state after the oldest action that has none yet. The Core's thread.
    func reached(_ state: State) {
        table.withLock { table in
            guard !table.applied.isEmpty else { return }
            let action = table.applied.removeFirst()
            // What the test sends has no place in the program; the ledgers are the store's own.
            guard action.origin != nil, !(action.action is PendingEffects.Internal),
                !(action.action is Presence.Internal)
            else { return }
            table.waiting.append(
                TestEvent(
                    form: .action(action.action, state),
                    version: action.version,
                    cause: action.cause ?? 0,
                    origin: action.origin
                )
            )
        }
        changes.signal()
    }

    func failed(_ token: EffectToken, _ error: any Error) {
        let version = token.cause.version
        table.withLock { table in
            table.waiting.append(
                TestEvent(
                    form: .failure(token.id, error),
                    version: version,
                    cause: version,
                    origin: nil
                )
            )
        }
        changes.signal()
    }

    /// What the action of a version is called.
    func name(_ version: UInt64) -> String {
        table.withLock { $0.names[version] } ?? "the store's beginning"
    }

    var isEmpty: Bool { table.withLock { $0.waiting.isEmpty } }

    func next() -> TestEvent<State>? {
        table.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }

    /// Takes all that came before the action of this version; everything where there is none.
    func take(before version: UInt64? = nil) -> [TestEvent<State>] {
        table.withLock { table in
            guard let version else {
                defer { table.waiting = [] }
                return table.waiting
            }
            let end = table.waiting.firstIndex { $0.version >= version } ?? table.waiting.endIndex
            defer { table.waiting.removeSubrange(..<end) }
            return Array(table.waiting[..<end])
        }
    }

    /// Forgets that the effects after an action failed: its dispatcher has the error.
    func forgetFailures(after version: UInt64) {
        table.withLock { table in
            table.waiting.removeAll { event in
                if case .failure = event.form { event.cause == version } else { false }
            }
        }
    }

    /// Takes the failures that come of a dependency that the test did not prepare.
    func takeUnprepared() -> [TestEvent<State>] {
        table.withLock { table in
            defer { table.waiting.removeAll(where: \.isUnprepared) }
            return table.waiting.filter(\.isUnprepared)
        }
    }
}

extension TestEvent {
    var isUnprepared: Bool {
        if case .failure(_, let error) = form { error is UnpreparedDependency } else { false }
    }
}
