import StoreCore
import StorePlatform
import Synchronization

/// An event of a store under test that is not an action of the test itself. An effect, a
/// presenter or a reaction dispatched an action, or an effect threw an error.
struct TestEvent<State: Sendable>: Sendable {
    enum Kind: Sendable {
        /// An applied action, and the state after the action.
        case action(any Action, State)
        /// The id of an effect, and the error that the effect threw.
        case failure(String, any Error)

        var action: (any Action)? { if case .action(let action, _) = self { action } else { nil } }
        var failure: (any Error)? { if case .failure(_, let error) = self { error } else { nil } }
    }

    let kind: Kind
    /// The version of the action. For a failure, the version of the action that the effect
    /// followed.
    let version: UInt64
    /// The version of the action that caused the event.
    let cause: UInt64
    /// The source location at which the program dispatched the action; `nil` for a failure.
    var sourceLocation: String?
}

/// The events that the test has not stated yet, in order.
final class TestEvents<State: Sendable>: Sendable {
    private struct Contents: Sendable {
        var unstatedEvents: [TestEvent<State>] = []
        /// The durable actions whose resulting states are not recorded yet, in order.
        var actionsWithoutState: [ActionEnvelope] = []
        var actionNamesByVersion: [UInt64: String] = [:]
    }

    private let contents = Locked(Contents())
    private let changes: ChangeSignal

    init(_ changes: ChangeSignal) { self.changes = changes }

    /// Records that an action is durable. The Core's thread calls this function.
    func recordAction(_ envelope: ActionEnvelope) {
        let name = ActionText.of(envelope.action)
        contents.withLock { contents in
            contents.actionsWithoutState.append(envelope)
            contents.actionNamesByVersion[envelope.version] = name
        }
    }

    /// Records the state after the oldest durable action whose state is not recorded yet. The
    /// Core's thread calls this function.
    func recordState(_ state: State) {
        contents.withLock { contents in
            guard !contents.actionsWithoutState.isEmpty else { return }
            let envelope = contents.actionsWithoutState.removeFirst()
            // The actions that the test sends have no origin, and make no event. The store's own
            // actions for the ledgers make no event either.
            guard envelope.origin != nil, !(envelope.action is PendingEffects.Internal),
                !(envelope.action is Presence.Internal), !(envelope.action is Schedule.Internal)
            else { return }
            contents.unstatedEvents.append(
                TestEvent(
                    kind: .action(envelope.action, state),
                    version: envelope.version,
                    cause: envelope.cause ?? 0,
                    sourceLocation: envelope.origin
                )
            )
        }
        changes.signal()
    }

    func recordFailure(_ token: EffectToken, _ error: any Error) {
        let version = token.cause.version
        contents.withLock { contents in
            let form = TestEvent<State>.Kind.failure(token.id, error)
            contents.unstatedEvents.append(TestEvent(kind: form, version: version, cause: version))
        }
        changes.signal()
    }

    /// Returns the name of the action of a version.
    func actionName(ofVersion version: UInt64) -> String {
        contents.withLock { $0.actionNamesByVersion[version] } ?? "the store's beginning"
    }

    var isEmpty: Bool { contents.withLock { $0.unstatedEvents.isEmpty } }

    func takeNext() -> TestEvent<State>? {
        contents.withLock { $0.unstatedEvents.isEmpty ? nil : $0.unstatedEvents.removeFirst() }
    }

    /// Removes and returns the events before the action of this version; by default, all events.
    func take(before version: UInt64 = .max) -> [TestEvent<State>] {
        contents.withLock { contents in
            let end =
                contents.unstatedEvents.firstIndex { $0.version >= version }
                ?? contents.unstatedEvents.endIndex
            defer { contents.unstatedEvents.removeSubrange(..<end) }
            return Array(contents.unstatedEvents[..<end])
        }
    }

    /// Removes the failures of the effects after an action, because the caller that sent the action
    /// gets these errors.
    func removeFailures(after version: UInt64) {
        contents.withLock { contents in
            contents.unstatedEvents.removeAll { $0.kind.failure != nil && $0.cause == version }
        }
    }

    /// Removes and returns the failures caused by a dependency that the test did not prepare.
    func takeUnpreparedFailures() -> [TestEvent<State>] {
        contents.withLock { contents in
            defer { contents.unstatedEvents.removeAll(where: \.isUnpreparedFailure) }
            return contents.unstatedEvents.filter(\.isUnpreparedFailure)
        }
    }
}

extension TestEvent {
    var isUnpreparedFailure: Bool { kind.failure is UnpreparedDependency }
}
