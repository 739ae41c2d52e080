import Glibc
import StoreCore
import StorePatterns
import StorePlatform
import Synchronization

/// The slices of one store's states as JSON, each encoded once. A value with the same memory as a
/// recently encoded value, which is still held, has the same bytes.
final class SliceTexts: Sendable {
    /// The number of values that are held for a type.
    private static let keptMax = 4
    /// The number of lookups after which a known value is encoded all the same.
    private static let checkedEvery = 64

    private struct Kept: Sendable {
        let value: any Encodable & Sendable
        let bytes: Bytewise
    }

    private struct KeptState: Sendable {
        let state: any Sendable
        let text: StateText
    }

    private struct Table: Sendable {
        var states: [KeptState] = []
        var kept: [ObjectIdentifier: [Kept]] = [:]
        var found = 0
        /// The names of the modules, which `Root.modules` joins at every call.
        var names: [String] = []
    }

    private let table = Locked(Table())

    /// Returns the value as JSON; `-` if it is `nil`.
    func bytes(of value: (any Encodable & Sendable)?) -> Bytewise {
        guard let value else { return .absent }
        if let restricted = value as? RestrictedValue { return bytes(of: restricted.value) }
        return bytes(of: value)
    }

    /// Returns the slices of a state, in their order.
    func slices<Root: RootState>(of root: Root) -> StateText {
        let known = table.withLock { table -> StateText? in
            guard let kept = table.states.first(where: { Self.isSame($0.state, root) }) else {
                return nil
            }
            table.found += 1
            return table.found.isMultiple(of: Self.checkedEvery) ? nil : kept.text
        }
        if let known { return known }
        let names = table.withLock { table in
            if table.names.isEmpty { table.names = StateText.names(Root.self) }
            return table.names
        }
        let values = Root.modules.map { $0.slicePlace.memberValue(root) }
        let text = StateText(
            values.map { bytes(of: $0) },
            of: names,
            values.map { value in
                // In a store with restricted slices, only operators read the schedule.
                if Root.self == Team.self, let schedule = value as? Schedule.State {
                    return HiddenSchedule(schedule: schedule)
                }
                return value as? any VisibleParts
            }
        )
        table.withLock { table in
            if table.states.count == Self.keptMax { table.states.removeFirst() }
            table.states.append(KeptState(state: root, text: text))
        }
        return text
    }

    private func bytes<Value: Encodable & Sendable>(of value: Value) -> Bytewise {
        let type = ObjectIdentifier(Value.self)
        let known = table.withLock { table -> Bytewise? in
            guard let kept = table.kept[type]?.first(where: { Self.isSame($0.value, value) }) else {
                return nil
            }
            table.found += 1
            return table.found.isMultiple(of: Self.checkedEvery) ? nil : kept.bytes
        }
        if let known { return known }
        let bytes = Bytewise(json: value)
        table.withLock { table in
            var kept = table.kept[type] ?? []
            if kept.count == Self.keptMax { kept.removeFirst() }
            kept.append(Kept(value: value, bytes: bytes))
            table.kept[type] = kept
        }
        return bytes
    }

    private static func isSame<Value>(_ kept: any Sendable, _ value: Value) -> Bool {
        guard let kept = kept as? Value else { return false }
        return withUnsafeBytes(of: kept) { a in
            withUnsafeBytes(of: value) { b in
                guard let first = a.baseAddress, let second = b.baseAddress else { return true }
                return memcmp(first, second, a.count) == 0
            }
        }
    }
}

/// A state as JSON: its slices, and the text that they form together.
final class StateText: Sendable {
    let slices: [Bytewise]
    private let names: [String]
    /// The modules of which each session has its own slice.
    private let parts: [(any VisibleParts)?]
    /// The modules that a role sees; `nil` for all.
    private let sight: Set<String>?
    private let joined = Locked<Bytewise?>(nil)
    private let seen = Locked<[String: StateText]>([:])

    init(
        _ slices: [Bytewise],
        of names: [String],
        _ parts: [(any VisibleParts)?],
        sight: Set<String>? = nil
    ) {
        self.slices = slices
        self.names = names
        self.parts = parts
        self.sight = sight
    }

    /// Returns the state for a role with these modules. The other modules are absent.
    func seen(_ sight: Set<String>) -> StateText {
        let slices = zip(names, slices).map { sight.contains($0) ? $1 : .absent }
        return StateText(slices, of: names, slices.map { _ in nil }, sight: sight)
    }

    /// True if one of these modules differs in another version.
    func differs(from other: StateText, in sight: Set<String>) -> Bool {
        names.indices.contains { sight.contains(names[$0]) && slices[$0] != other.slices[$0] }
    }

    /// The whole state.
    var whole: Bytewise {
        joined.withLock { joined in
            if let joined { return joined }
            let shown = names.indices.filter { sight?.contains(names[$0]) ?? true }
            let whole = Bytewise(slices: shown.map { slices[$0] }, of: shown.map { names[$0] })
            joined = whole
            return whole
        }
    }

    /// Returns the state of a session and a user: the shared slices, and their own slices in the
    /// places of all.
    func visible(to session: String, as owner: String) -> StateText {
        seen.withLock { seen in
            if let known = seen[session + owner] { return known }
            let slices = zip(slices, parts).map { $1?.text(of: session, as: owner) ?? $0 }
            let text = StateText(slices, of: names, slices.map { _ in nil })
            seen[session + owner] = text
            return text
        }
    }

    /// Returns the owner of slices of users that a client is.
    static func owner(as principal: String?, in session: String?) -> String {
        principal.map { "@" + $0 } ?? "~" + (session ?? Sessions.shared)
    }

    /// The shared slices.
    var everybodys: [Bytewise] { zip(slices, parts).compactMap { $1 == nil ? $0 : nil } }

    /// Returns the sessions whose own slices differ between two versions.
    static func changedSessions(_ old: StateText, _ new: StateText) -> Set<String> {
        new.parts.indices.reduce(into: []) { $0.formUnion(changedSessions(old, new, at: $1)) }
    }

    /// Returns the members that differ between two versions. A member of sessions has the names of
    /// the sessions that it differs for.
    static func changedMembers(
        _ old: StateText,
        _ new: StateText
    ) -> [(name: String, sessions: Set<String>?)] {
        new.names.indices.compactMap { place in
            guard new.parts[place] == nil else {
                let sessions = changedSessions(old, new, at: place)
                return sessions.isEmpty ? nil : (new.names[place], sessions)
            }
            return old.slices[place] == new.slices[place] ? nil : (new.names[place], nil)
        }
    }

    private static func changedSessions(
        _ old: StateText,
        _ new: StateText,
        at place: Int
    ) -> Set<String> {
        guard let mine = new.parts[place], let before = old.parts[place],
            old.slices[place] != new.slices[place]
                || before.text(of: Self.nobody, as: Self.nobody)
                    != mine.text(of: Self.nobody, as: Self.nobody)
        else { return [] }
        // A session without a slice of its own has the first slice of all sessions.
        let sessions = [old, new].flatMap { text in
            text.parts.flatMap { $0?.sessionNames ?? [] }
        }
        // A restricted slice may have all visitors as its readers.
        let visitors = new.parts[place] is RestrictedValue ? sessions.map { "~" + $0 } : []
        return Set(sessions + visitors + [Sessions.shared, "~" + Sessions.shared]).filter {
            before.text(of: $0, as: $0) != mine.text(of: $0, as: $0)
        }
    }

    /// Returns the members in which owners lost their slices, with the names of these owners. An
    /// owner without a slice has the first slice again, perhaps with the same bytes.
    static func endedOwners(
        _ old: StateText,
        _ new: StateText
    ) -> [(name: String, owners: Set<String>)] {
        new.names.indices.compactMap { place in
            guard let mine = new.parts[place], let before = old.parts[place],
                !(mine is RestrictedValue)
            else { return nil }
            return (new.names[place], Set(before.sessionNames).subtracting(mine.sessionNames))
        }
    }

    /// A name that no session and no user has.
    static let nobody = "\u{0}"

    /// Returns the part that a pointer leads to; `nil` if there is none. The first token is the
    /// name of a module.
    func part(at tokens: [String]) -> Bytewise? {
        guard let name = tokens.first, let module = names.firstIndex(of: name),
            sight?.contains(name) ?? true
        else { return nil }
        let slice = slices[module]
        if tokens.count == 1 { return slice == .absent ? Bytewise("null") : slice }
        return slice == .absent ? nil : JSONText.part(slice.bytes, at: Array(tokens.dropFirst()))
    }

    static func names<Root: RootState>(_ root: Root.Type) -> [String] {
        Root.modules.map(\.name)
    }
}

/// A slice with a part of its own for each session, or for each user.
protocol VisibleParts: Sendable {
    /// Returns the part of a session or a user as JSON; `-` if it is absent.
    func text(of session: String, as owner: String) -> Bytewise
    /// The sessions or users that have a part of their own.
    var sessionNames: [String] { get }
}

extension PerSession: VisibleParts {
    func text(of session: String, as owner: String) -> Bytewise {
        let text = Bytewise(json: self[session])
        return text == Bytewise("null") ? .absent : text
    }

    var sessionNames: [String] { sessions }
}

extension Sessions.State: VisibleParts {
    func text(of session: String, as owner: String) -> Bytewise {
        guard let own = self[session] else { return Bytewise("{}") }
        return Bytewise(JSONText.object([(session, Bytewise(json: own).text)]))
    }

    var sessionNames: [String] { Array(sessions.keys) }
}

extension Presence.State: VisibleParts {
    func text(of session: String, as owner: String) -> Bytewise {
        guard pieces.contains(where: { $0.key.isSame(as: session) }) else { return Bytewise("{}") }
        return Bytewise(JSONText.object([(session, Bytewise(json: self[session]).text)]))
    }

    /// The list of a session stays if it is empty.
    var sessionNames: [String] { pieces.map(\.key) }
}
