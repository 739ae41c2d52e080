import StoreCore
import StorePatterns

/// The plainest model of a store: a state, and the actions that led to it, one after the other.
struct Naive<P: Program> {
    private(set) var root: P.Root
    private(set) var version: UInt64
    private(set) var text: StateText
    private let texts = SliceTexts()
    var calls = Calls()
    var works = Works()
    /// The versions that changed the states of sessions.
    var seen: Seen

    /// True if the store has its interceptors.
    let isIntercepted: Bool

    init(_ root: P.Root, at version: UInt64, isIntercepted: Bool) {
        self.isIntercepted = isIntercepted
        self.root = root
        self.version = version
        text = texts.slices(of: root)
        seen = Seen(since: version)
    }

    static var names: [String] { StateText.names(P.Root.self) }

    var slices: [Bytewise] { text.slices }
    var whole: Bytewise { text.whole }

    /// Applies an action, or throws and changes nothing.
    mutating func apply(
        _ action: any Action,
        from session: String?,
        as principal: ActionPrincipal?,
        for audience: Audience?,
        at time: Int64
    ) throws -> Applied<P.Root> {
        let (inner, instance) = Self.unaddressed(action)
        let author = session ?? Sessions.shared
        switch P.owner(of: inner) {
        case .session where !isOpen(author), .user where principal == nil && !isOpen(author):
            throw Refusal(reason: "The session has ended.")
        default: break
        }
        if let named = Self.named(by: inner), !named.isEmpty, !named.contains(where: isOpen) {
            throw Refusal(reason: "All sessions that it names have ended.")
        }
        let before = root
        var after = root
        try P.reduce(&after, inner, for: instance, of: author, as: principal, at: version + 1, time)
        P.share(&after)
        switch inner as? Users.Internal {
        case .signedIn(let visitor, let principal)?:
            P.join("~" + visitor, "@" + principal, &after)
            P.end("~" + visitor, &after)
        case .forgotten(let principal)?: P.end("@" + principal, &after)
        case nil: break
        }
        if case .ended(let session)? = inner as? Sessions.Internal { P.end(session, &after) }
        let old = text
        root = after
        version += 1
        text = texts.slices(of: after)
        seen.note(old, text, at: version)
        return Applied(
            version: version,
            action: inner,
            instance: instance,
            session: session,
            principal: principal,
            audience: audience,
            before: before,
            after: after,
            oldText: old,
            newText: text
        )
    }

    /// Returns the sessions whose routes an action names.
    private static func named(by action: any Action) -> [String]? {
        switch action as? Sessions.Internal {
        case .presented(_, _, let sessions), .dismissed(_, let sessions),
            .dismissedUntil(_, let sessions):
            sessions
        case .withdrawn(_, let sessions): sessions
        default: nil
        }
    }

    /// True if a session has begun and not ended. The shared session never ends.
    func isOpen(_ session: String) -> Bool {
        session == Sessions.shared || sessions?[session] != nil
    }

    /// The routes of all sessions.
    var sessions: Sessions.State? {
        P.Root.modules.first { $0.name == Sessions.name }?.slicePlace.memberValue(root)
            as? Sessions.State
    }

    /// The timers of the store.
    var schedule: Schedule.State? {
        P.Root.modules.first { $0.name == Schedule.name }?.slicePlace.memberValue(root)
            as? Schedule.State
    }

    /// Predicts the consequences of an applied action.
    mutating func follow(_ applied: Applied<P.Root>) {
        works.sender = applied.principal?.name
        P.effects(applied, &works)
        P.follows(applied, &calls)
    }

    /// Begins a store with this state.
    mutating func begin() {
        calls = Calls()
        works.end()
        seen = Seen(since: version)
        P.begins(root, &calls)
    }

    static func unaddressed(_ action: any Action) -> (any Action, String?) {
        guard let addressed = action as? AddressedAction else { return (action, nil) }
        return (addressed.action, addressed.instance)
    }
}

/// A memory of the applied versions.
struct Past {
    /// The number of versions whose states are remembered for readers of streams.
    static let slicesMax: UInt64 = 512

    private(set) var texts: [UInt64: StateText] = [:]
    /// The sessions that actions came from, by version, and the versions of the notes.
    var sessions: [UInt64: String] = [:]
    private(set) var notes: [String: UInt64] = [:]
    /// The version before which no state can be made again, because a person was forgotten.
    var forgotten: UInt64 = 0
    /// The readers of records of restricted slices, by version.
    private(set) var readers: [UInt64: (Reading) -> Bool] = [:]

    init(_ text: StateText, at version: UInt64) { texts[version] = text }

    mutating func add<Root>(
        _ applied: Applied<Root>,
        _ note: String?,
        _ readers: ((Reading) -> Bool)?
    ) {
        self.readers[applied.version] = readers
        texts[applied.version] = applied.newText
        texts[applied.version &- Self.slicesMax] = nil
        sessions[applied.version] = applied.session
        if let note { notes[note] = applied.version }
    }

    /// Stores a version under another name.
    mutating func name(_ note: String, _ version: UInt64) { notes[note] = version }
}
