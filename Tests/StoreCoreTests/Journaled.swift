import StoreCore
import StorePlatform
import Synchronization

/// Collects values from any thread, in the order in which they come.
final class Journaled<Value: Sendable>: Sendable {
    private let collected = Locked<[Value]>([])

    var values: [Value] { collected.withLock { $0 } }

    func add(_ value: Value) {
        collected.withLock { $0.append(value) }
    }
}

/// Returns the refusal with which `work` ends; `nil` if it ends in another way.
nonisolated(nonsending) func refusal(_ work: () async throws -> Void) async -> Refusal? {
    do {
        try await work()
        return nil
    } catch {
        return error.refusal
    }
}

/// Remembers the calls of the Core to its sink.
final class RecordingSink<State: Sendable & Equatable>: StateSink {
    enum Event: Equatable, Sendable {
        case reduced(UInt64), committed(UInt64), completed, rolledBack
    }

    let events = Journaled<Event>()
    /// Returns a refusal for the states that can't be shown.
    let unshowable = Locked<(@Sendable (State) -> Refusal?)?>(nil)

    var takesEachVersion: Bool { true }
    func didReduce(_ state: State, version: UInt64, changed: Bool) { events.add(.reduced(version)) }
    func prepare(_ state: State, through version: UInt64) throws {
        if let refusal = unshowable.withLock({ $0 })?(state) { throw refusal }
    }

    func publish(_ state: State, through version: UInt64, for audience: Audience?) {
        events.add(.committed(version))
    }
    func wakeStreams() { events.add(.completed) }
    func didRollBack() { events.add(.rolledBack) }
}

/// Keeps the outcomes of one envelope.
final class Outcomes: Completion {
    let all = Journaled<Outcome>()

    func complete(_ outcome: Outcome) { all.add(outcome) }
}
