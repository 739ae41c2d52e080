import StoreCore
import StorePlatform
import Synchronization

/// Keeps what it is given, in order: a double for whatever is a closure.
///
/// ```swift
/// let states = Recorder<AppState>()
/// core.observe(with: states.record)
/// try await core.dispatch(Counter.Action.increased)
/// #expect(try await states.next().counter.count == 0)
/// #expect(try await states.next().counter.count == 1)
/// ```
///
/// It stands for an observer, a middleware, a command or a service that effects call. Any thread
/// may use it.
public final class Recorder<Value: Sendable>: Sendable {
    private struct Table: Sendable {
        var values: [Value] = []
        var taken = 0
    }

    private let table = Locked(Table())
    private let changes = Changes()

    /// Begins without any.
    public init() {}

    /// Keeps a value.
    @Sendable public func record(_ value: Value) {
        table.withLock { $0.values.append(value) }
        changes.signal()
    }

    /// All values, in the order in which they came.
    public var values: [Value] { table.withLock { $0.values } }

    /// The oldest value that ``next(within:)`` has not given yet; waits for it.
    ///
    /// - Throws: ``NothingRecorded`` where none comes within `timeout`, which is real time.
    public nonisolated(nonsending) func next(
        within timeout: Duration = .seconds(1)
    ) async throws(NothingRecorded) -> Value {
        let came = await changes.wait(within: timeout) {
            table.withLock { $0.taken < $0.values.count }
        }
        let value = table.withLock { table -> Value? in
            guard came, table.taken < table.values.count else { return nil }
            defer { table.taken += 1 }
            return table.values[table.taken]
        }
        guard let value else { throw NothingRecorded(count: values.count, timeout: timeout) }
        return value
    }
}

/// A ``Recorder`` was asked for a value more than it was given.
public struct NothingRecorded: Error, Equatable, CustomStringConvertible {
    /// How many values there were.
    public let count: Int
    /// How long was waited.
    public let timeout: Duration

    /// What was missing.
    public var description: String {
        "a value was to come after \(count), and none came within \(timeout)"
    }
}
