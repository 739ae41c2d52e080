import StoreCore
import StorePlatform
import Synchronization

/// The calls of a program's presenters and reactions, and what they did, in order.
final class Recorder: Sendable {
    /// That of the simulation that runs in this task: presenters are values that no simulation
    /// makes.
    @TaskLocal static var current: Recorder?

    /// A call of a presenter, an observer or a reaction.
    struct Call: Sendable, Equatable, CustomStringConvertible {
        let part: String
        let old: Bytewise
        let new: Bytewise

        var description: String { "\(part): \(old) -> \(new)" }
    }

    /// What the program dispatched in vain.
    struct Vain: Sendable {
        let type: String
        let cause: UInt64?
        /// Whether it was refused because it is another module's own.
        let isForeign: Bool
        /// Whether its slice was gone when the Core came to it.
        let isTooLate: Bool
    }

    /// An action that was applied, as the log's lines have it.
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

    /// Notes a call of a part that is shown whole states.
    func call<Root: RootState>(_ part: String, _ old: Root, _ new: Root) -> Int {
        call(part, texts.slices(of: old).whole, texts.slices(of: new).whole)
    }

    /// Notes a call; answers how many calls the part has had, this one among them.
    func call(_ part: String, _ old: Bytewise, _ new: Bytewise) -> Int {
        table.withLock { table in
            table.calls.append(Call(part: part, old: old, new: new))
            table.counts[part, default: 0] += 1
            return table.counts[part] ?? 0
        }
    }

    /// An effect has begun, for the action of this note.
    func began(_ note: String, attempt: Int = 1) {
        table.withLock { $0.effects.append((note, attempt)) }
    }

    /// An effect was cancelled.
    func wasCut(_ note: String) { table.withLock { $0.cut.append(note) } }

    /// An interceptor's hook was called.
    func hook(_ version: UInt64, _ state: Bytewise) {
        table.withLock { $0.hooks.append((version, state)) }
    }

    /// A line of analytics was released, with the state before the action.
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

    /// How much was dispatched in vain since the start.
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
    /// Notes a call of a presenter. Returns how many calls it has had.
    static func note(
        _ part: String,
        _ old: (any Encodable & Sendable)?,
        _ new: (any Encodable & Sendable)?
    ) -> Int {
        guard let current else { return 0 }
        return current.call(part, current.texts.bytes(of: old), current.texts.bytes(of: new))
    }

    /// Notes a call of a presenter for the slice of a session. Returns how many calls it has had.
    static func note(
        _ part: String,
        _ context: PresenterContext,
        _ old: (any Encodable & Sendable)?,
        _ new: (any Encodable & Sendable)?
    ) -> Int {
        let slice = part + "@" + (context.session ?? "") + "/" + (context.instance ?? "")
        return note(slice, old, new)
    }

    /// Does an effect's work, and notes that it began and whether it was cancelled.
    static func work(_ note: String, _ body: () async throws -> Void) async throws {
        current?.began(note)
        do {
            try await body()
        } catch is CancellationError {
            current?.wasCut(note)
            throw CancellationError()
        }
    }

    /// Notes that an effect is tried; answers how often it was.
    static func attempt(_ note: String) -> Int {
        let attempt = current?.call("attempt " + note, Bytewise("-"), Bytewise("-")) ?? 1
        current?.began(note, attempt: attempt)
        return attempt
    }
}
