/// The ledger: a slice of the state with the effects that outlive the server and have not ended. If
/// the server ends before an effect has ended, the next start finds the effect in the ledger.
///
/// A root state mounts this module if a module has effects that outlive the server: a
/// ``KeepingModule``, or a side effect with a ``RestartPolicy``. The action that asks for an effect
/// also enters the effect into the ledger, with all data for another run. The runner removes the
/// entry when all tasks of the effect have ended.
public struct PendingEffects: Module {
    /// The effects that have not ended, the oldest first.
    public struct State: ModuleState {
        /// The entries, each under the version of its action with leading zeros, so that the names
        /// sort as numbers.
        package private(set) var table = ValueTable<Entry>()

        private enum CodingKeys: CodingKey { case pending }

        /// Makes a ledger without effects.
        public init() {}

        /// The entries of the effects that have not ended. Cost: linear in the number of entries.
        public var pending: [Entry] { table.members.map(\.value) }

        /// Reads an object with a list of entries.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            for entry in try container.decode([Entry].self, forKey: .pending) { insert(entry) }
        }

        /// Writes an object with a list of entries.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(pending, forKey: .pending)
        }

        package mutating func insert(_ entry: Entry) { table[Self.name(of: entry.version)] = entry }

        /// Removes the entry of the effect that the action of this version asked for.
        fileprivate mutating func remove(_ version: UInt64) { table[Self.name(of: version)] = nil }

        private static func name(of version: UInt64) -> String {
            let digits = String(version)
            return String(repeating: "0", count: 20 - digits.utf8.count) + digits
        }
    }

    /// An effect that has not ended.
    public struct Entry: ModuleState {
        /// The version of the action that asked for the effect.
        public let version: UInt64
        /// The slice that the effect works for, such as `orders` or `cards/7`.
        public let slice: String
        /// The treatment of the effect at a restart.
        public let onRestart: RestartPolicy
        /// The work that runs again after a restart; `nil` if no work runs again, or if the server
        /// did not store the work.
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

    /// The actions that the runner of the effects dispatches.
    public enum Internal: ModuleAction {
        /// The effects of an action have ended, with success or not.
        case ended(version: UInt64)
    }

    /// The name of the slice.
    public static let name = "effects"

    /// Makes the module.
    public init() {}

    /// Removes the entry of an effect that has ended.
    public func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .ended(let version): state.remove(version)
        }
    }
}

extension PendingEffects.State: PiecewiseState {
    package static var pieceLayout: PieceLayout { .array(in: CodingKeys.pending.stringValue) }
}

extension Effect {
    /// The treatment of the whole effect at a restart: ``RestartPolicy/retried`` if any task has
    /// that policy, else ``RestartPolicy/reported`` if any task has that policy.
    var onRestart: RestartPolicy {
        switch kind {
        case .none, .cancel, .timer, .endSession, .endUser: .lost
        case .run(let run): run.onRestart
        case .merge(let effects), .concatenate(let effects):
            effects.map(\.onRestart).reduce(.lost) { $0 == .retried || $1 == .lost ? $0 : $1 }
        }
    }
}
