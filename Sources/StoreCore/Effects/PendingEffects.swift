/// The effects that have begun and not ended, as a slice of the state: so that a server that ends
/// before they do finds them when it starts again.
///
/// A root state mounts it where one of its modules has effects that outlive the server: a
/// ``KeepingModule``, or a side effect with a ``RestartPolicy``. An effect is entered in the step
/// that asks for it, with all that it needs to run again, and removed when all of it has ended.
public struct PendingEffects: Module {
    /// The effects that have not ended, the oldest first.
    public struct State: ModuleState {
        /// An effect as it was entered.
        private final class Item: Sendable {
            let entry: Entry

            init(_ entry: Entry) { self.entry = entry }
        }

        /// The effects under names that sort as their versions do.
        private var table = SortedTable<Item>()

        private enum CodingKeys: CodingKey { case pending }

        /// Begins without any.
        public init() {}

        /// The effects. Cost: one step for each.
        public var pending: [Entry] { table.map(\.value.entry) }

        /// Reads an object with a list of effects.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            for entry in try container.decode([Entry].self, forKey: .pending) { enter(entry) }
        }

        /// Writes an object with a list of effects.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(pending, forKey: .pending)
        }

        /// Enters an effect.
        package mutating func enter(_ entry: Entry) {
            table[Self.name(of: entry.version)] = Item(entry)
        }

        /// Removes the effect that the action of this version asked for.
        fileprivate mutating func remove(_ version: UInt64) {
            table[Self.name(of: version)] = nil
        }

        /// Whether both have the same effects. What both share is not looked at.
        public static func == (a: State, b: State) -> Bool {
            var isEqual = a.table.count == b.table.count
            guard isEqual else { return false }
            a.table.forEachDifference(from: b.table) { _, mine, theirs in
                isEqual = mine?.entry == theirs?.entry
                return isEqual
            }
            return isEqual
        }

        private static func name(of version: UInt64) -> String {
            let digits = String(version)
            return String(repeating: "0", count: 20 - digits.utf8.count) + digits
        }
    }

    /// One effect that has not ended.
    public struct Entry: ModuleState {
        /// The version of the action that asked for it.
        public let version: UInt64
        /// The slice that it works for: `orders`, or `cards/7`.
        public let slice: String
        /// What becomes of it on a restart.
        public let onRestart: RestartPolicy
        /// What runs again on a restart; `nil` if nothing does, and in entries of servers that
        /// kept none.
        public let work: KeptWork?

        package init(
            version: UInt64,
            slice: String,
            onRestart: RestartPolicy,
            work: KeptWork? = nil
        ) {
            self.version = version
            self.slice = slice
            self.onRestart = onRestart
            self.work = work
        }
    }

    /// What the runner dispatches.
    public enum Internal: ModuleAction {
        /// All that an action asked for has ended, well or not.
        case ended(version: UInt64)
    }

    /// The slice's name.
    public static let name = "effects"

    /// Makes the module.
    public init() {}

    /// Removes an effect's entry.
    public func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .ended(let version): state.remove(version)
        }
    }
}

extension PendingEffects.State: PiecewiseState {
    package static var pieceForm: PieceForm { .array(in: CodingKeys.pending.stringValue) }

    package var pieces: [(key: String, value: any Encodable & Sendable)] {
        table.map { ($0.key, $0.value.entry) }
    }

    package func pieces(
        changedSince old: PendingEffects.State
    ) -> [(key: String, value: (any Encodable & Sendable)?)] {
        table.differences(from: old.table).map { ($0.key, $0.value?.entry) }
    }
}

extension Effect {
    /// What becomes of the whole on a restart: parts of it are run again if any asks for that, else
    /// it is reported if any part asks for that.
    var onRestart: RestartPolicy {
        switch form {
        case .none, .cancel, .endSession: .lost
        case .run(let run): run.onRestart
        case .merge(let effects), .concatenate(let effects):
            effects.map(\.onRestart).reduce(.lost) { $0 == .retried || $1 == .lost ? $0 : $1 }
        }
    }
}
