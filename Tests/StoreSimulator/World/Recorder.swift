import StoreCore
import StorePlatform
import Synchronization

/// The calls of a program's presenters and reactions, and their actions, in order.
final class Recorder: Sendable {
    /// The recorder of the simulation that runs in this task. Presenters are values that no
    /// simulation makes, so they find their recorder here.
    @TaskLocal static var current: Recorder?

    /// A call of a presenter, an observer or a reaction.
    struct Call: Sendable, Equatable, CustomStringConvertible {
        let part: String
        let old: Bytewise
        let new: Bytewise

        var description: String { "\(part): \(old) -> \(new)" }
    }

    /// An action that the program dispatched in vain.
    struct Vain: Sendable {
        let type: String
        let cause: UInt64?
        /// True if the action was refused because it is another module's own.
        let isForeign: Bool
        /// True if the action's slice was gone when the Core reached the action.
        let isTooLate: Bool
    }

    /// An applied action with the fields of the log's lines.
    struct Line: Sendable, Equatable {
        let version: UInt64
        let type: Bytewise
        let changed: Bool
    }

    private struct Table: Sendable {
        var calls: [Call] = []
        var counts: [String: Int] = [:]
        var effects: [(note: String, attempt: Int)] = []
        var cut: [String] = []
        var hooks: [(version: UInt64, state: Bytewise)] = []
        var analytics: [(version: UInt64, state: Bytewise, cause: UInt64?)] = []
        var applied: [Line] = []
        var dropped: [Vain] = []
        var droppedTotal: UInt64 = 0
    }

    private let table = Locked(Table())
    let texts = SliceTexts()

    /// Records a call of a part that gets whole states.
    func call<Root: RootState>(_ part: String, _ old: Root, _ new: Root) -> Int {
        call(part, texts.slices(of: old).whole, texts.slices(of: new).whole)
    }

    /// Records a call; returns the number of the part's calls, this call included.
    func call(_ part: String, _ old: Bytewise, _ new: Bytewise) -> Int {
        table.withLock { table in
            table.calls.append(Call(part: part, old: old, new: new))
            table.counts[part, default: 0] += 1
            return table.counts[part] ?? 0
        }
    }

    /// Records that the effect for the action of this note has begun.
    func began(_ note: String, attempt: Int = 1) {
        table.withLock { $0.effects.append((note, attempt)) }
    }

    /// Records that an effect was cancelled.
    func wasCut(_ note: String) { table.withLock { $0.cut.append(note) } }

    /// Records the call of an interceptor's hook.
    func hook(_ version: UInt64, _ state: Bytewise) {
        table.withLock { $0.hooks.append((version, state)) }
    }

    /// Records a released line of analytics, with the state before the action.
    func line(_ version: UInt64, _ state: Bytewise, _ cause: UInt64?) {
        table.withLock { $0.analytics.append((version, state, cause)) }
    }

    func applied(_ actions: [Line]) { table.withLock { $0.applied += actions } }
    func dropped(_ action: Vain) {
        table.withLock { table in
            table.dropped.append(action)
            table.droppedTotal += 1
        }
    }

    /// The number of actions that were dispatched in vain since the start.
    var droppedTotal: UInt64 { table.withLock { $0.droppedTotal } }

    func takeCalls() -> [Call] { take(\.calls) }
    func takeEffects() -> [(note: String, attempt: Int)] { take(\.effects) }
    func takeCut() -> [String] { take(\.cut) }
    func takeHooks() -> [(version: UInt64, state: Bytewise)] { take(\.hooks) }
    func takeLines() -> [(version: UInt64, state: Bytewise, cause: UInt64?)] { take(\.analytics) }
    func takeApplied() -> [Line] { take(\.applied) }
    func takeDropped() -> [Vain] { take(\.dropped) }

    func forget() {
        table.withLock { $0 = Table() }
    }

    private func take<Value>(_ list: any WritableKeyPath<Table, [Value]> & Sendable) -> [Value] {
        table.withLock { table in
            defer { table[keyPath: list] = [] }
            return table[keyPath: list]
        }
    }
}

extension Recorder {
    /// Records a call of a presenter. Returns the number of its calls.
    static func note(
        _ part: String,
        _ old: (any Encodable & Sendable)?,
        _ new: (any Encodable & Sendable)?
    ) -> Int {
        guard let current else { return 0 }
        return current.call(part, current.texts.bytes(of: old), current.texts.bytes(of: new))
    }

    /// Records a call of a presenter for the slice of a session. Returns the number of its calls.
    static func note(
        _ part: String,
        _ context: PresenterContext,
        _ old: (any Encodable & Sendable)?,
        _ new: (any Encodable & Sendable)?
    ) -> Int {
        let slice = part + "@" + (context.session ?? "") + "/" + (context.instance ?? "")
        return note(slice, old, new)
    }

    /// Does an effect's work, and records its beginning and its cancellation.
    static func work(_ note: String, _ body: () async throws -> Void) async throws {
        current?.began(note)
        do {
            try await body()
        } catch  where error.isCancellation {
            current?.wasCut(note)
            throw error
        }
    }

    /// Records a try of an effect; returns the number of its tries.
    static func attempt(_ note: String) -> Int {
        let attempt = current?.call("attempt " + note, Bytewise("-"), Bytewise("-")) ?? 1
        current?.began(note, attempt: attempt)
        return attempt
    }
}
