import StoreCore
import StorePlatform
import Synchronization

/// A test double for any closure. A recorder records the values that the closure gets, in order.
///
/// ```swift
/// let states = Recorder<AppState>()
/// core.observe(with: states.record)
/// try await core.apply(Counter.Action.increased)
/// #expect(try await states.next().counter.count == 0)
/// #expect(try await states.next().counter.count == 1)
/// ```
///
/// The recorder replaces an observer, a middleware, a command or a service that effects call. Any
/// thread may use the recorder.
public final class Recorder<Value: Sendable>: Sendable {
    private struct Table: Sendable {
        var values: [Value] = []
        var takenCount = 0
    }

    private let table = Locked(Table())
    private let changes = ChangeSignal()

    /// Makes a recorder without values.
    public init() {}

    /// Records a value.
    @Sendable public func record(_ value: Value) {
        table.withLock { $0.values.append(value) }
        changes.signal()
    }

    /// All values, in the order in which they came.
    public var values: [Value] { table.withLock { $0.values } }

    /// Returns the oldest value that no earlier call has returned. Waits until there is such a
    /// value.
    ///
    /// - Throws: ``NothingRecorded`` if no value comes within `timeout`, which is real time.
    public nonisolated(nonsending) func next(
        within timeout: Duration = .seconds(1)
    ) async throws(NothingRecorded) -> Value {
        let came = await changes.wait(within: timeout) {
            table.withLock { $0.takenCount < $0.values.count }
        }
        let value = table.withLock { table -> Value? in
            guard came, table.takenCount < table.values.count else { return nil }
            defer { table.takenCount += 1 }
            return table.values[table.takenCount]
        }
        guard let value else {
            throw NothingRecorded(earlierValueCount: values.count, timeout: timeout)
        }
        return value
    }
}

/// The error if a ``Recorder`` gets no further value in time.
public struct NothingRecorded: Error, Equatable, CustomStringConvertible {
    /// The number of values that the recorder has got.
    public let earlierValueCount: Int
    /// The length of the wait.
    public let timeout: Duration

    /// A sentence with the number of values and the length of the wait.
    public var description: String {
        "a value was expected after \(earlierValueCount), and none came within \(timeout)"
    }
}
