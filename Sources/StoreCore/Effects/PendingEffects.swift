/// The effects that have begun and not ended, as a slice of the state: so that a server that ends
/// before they do finds them when it starts again.
///
/// A root state mounts it where one of its modules has effects that outlive the server
/// (``Module/keepsEffects``). An effect is entered in the step that asks for it, and struck off
/// when all of it has ended.
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

        package init(version: UInt64, slice: String, onRestart: RestartPolicy) {
            self.version = version
            self.slice = slice
            self.onRestart = onRestart
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
    /// What becomes of the whole on a restart: it is run again if any part asks for that, else
    /// reported if any part asks for that.
    var onRestart: RestartPolicy {
        switch form {
        case .none, .cancel, .endSession: .lost
        case .run(let run): run.onRestart
        case .merge(let effects), .concatenate(let effects):
            effects.map(\.onRestart).reduce(.lost) { $0 == .retried || $1 == .lost ? $0 : $1 }
        }
    }
}

/// An action of history, as effects that go on after a restart need it.
package struct PastAction: Sendable {
    /// `nil` where it can't be read any more.
    package let action: (any Action)?
    /// The session that it came from; `nil` where no client with a session did.
    package let session: String?

    package init(_ action: (any Action)?, from session: String? = nil) {
        self.action = action
        self.session = session
    }
}

extension Core where State: RootState {
    /// Treats the effects that had not ended when the store stopped. Those with that policy run
    /// again; the module of each of the others gets an action about it. What they dispatch has
    /// the cause and the session of the action that began them.
    ///
    /// An effect is made again by reducing its action once more, on a copy that is dropped: of the
    /// state that the action was applied to then, so that it is the effect that it was. Where that
    /// state is gone, it is made of the state as it is now; a reducer that refuses the action by
    /// now makes none, and the effect is reported. So is one whose slice has ended since.
    ///
    /// - Parameters:
    ///   - entries: as the ledger of the state that the store starts with has them.
    ///   - past: the action of a version; `nil` where history no longer reaches back.
    ///   - before: the state that the action of a version was applied to; `nil` where it can't be
    ///     made any more. Versions are asked for in the order of the entries.
    ///   - report: receives each, with what is done about it.
    package func resume(
        _ entries: [PendingEffects.Entry],
        past: @escaping @Sendable (UInt64) -> PastAction?,
        before: @escaping @Sendable (UInt64) -> State? = { _ in nil },
        report: @escaping @Sendable (PendingEffects.Entry, _ isRunAgain: Bool) -> Void
    ) {
        for entry in entries {
            let past = past(entry.version)
            let again = entry.onRestart == .retried ? past?.action : nil
            let session = past?.session
            let before = again == nil ? nil : before(entry.version)
            engine.perform { [owner] engine in
                guard case .machine(let machine) = owner.form, let runner = engine.ports.effects
                else { return }
                if let again,
                    let effect = machine.effect(
                        of: again,
                        appliedTo: before ?? owner.current,
                        from: session
                    ),
                    Self.isThere(effect.address, owner.current)
                {
                    report(entry, true)
                    let cause = EffectCause(version: entry.version, session: session)
                    effect.launch(runner, cause)
                    return
                }
                report(entry, false)
                var source = ActionSource(cause: entry.version, place: "StoreCore/PendingEffects")
                source.session = session
                if let report = Self.report(of: entry) { engine.dispatchProgramAction(report, from: source) }
                let ended = PendingEffects.Internal.ended(version: entry.version)
                engine.dispatchProgramAction(ended, from: source)
            }
        }
    }

    private static func isThere(_ address: SliceAddress, _ state: State) -> Bool {
        let mount = State.modules.first { $0.name.isSame(as: address.module) }
        return mount?.slice.isThere(state, address.key) == true
    }

    private static func report(of entry: PendingEffects.Entry) -> (any Action)? {
        // Bytes are looked at: with a combining mark behind it, the slash is another character.
        let slash = entry.slice.utf8.firstIndex(of: UInt8(ascii: "/"))
        let name = String(entry.slice[..<(slash ?? entry.slice.endIndex)])
        guard let mount = State.modules.first(where: { $0.name.isSame(as: name) }),
            let action = mount.slice.interrupted(after: entry.version)
        else { return nil }
        guard let slash else { return action }
        return action.to(String(entry.slice[entry.slice.utf8.index(after: slash)...]))
    }
}
