import StoreCore
import StorePatterns
import StoreServer

/// A store that is simulated, with its model: a plain version of its source.
protocol Program: SendableMetatype {
    associatedtype Root: RootState

    /// Returns the store as it is served. Its presenters and reactions record their calls in
    /// `recorder`.
    static func server(_ recorder: Recorder, isIntercepted: Bool) -> Server<Root>

    /// True if a start may serve another edition of the program.
    static var hasEditions: Bool { get }

    /// Reduces an action of a session and a principal, or throws. After an error the caller drops
    /// the changes.
    static func reduce(
        _ root: inout Root,
        _ action: any Action,
        for instance: String?,
        of session: String,
        as principal: ActionPrincipal?,
        at version: UInt64,
        _ time: Int64
    ) throws
    /// Returns the owner of the slices that an action changes.
    static func owner(of action: any Action) -> Owner
    /// Returns the function that returns true for the readers of an applied action's record; `nil`
    /// if the owner decides.
    static func readers(_ applied: Applied<Root>) -> ((Reading) -> Bool)?
    /// Copies the shared values to their readers.
    static func share(_ root: inout Root)
    /// Removes all values of a session, or of a user.
    static func end(_ owner: String, _ root: inout Root)
    /// Joins the values of a visitor with the values of a user.
    static func join(_ visitor: String, _ user: String, _ root: inout Root)
    /// Returns the actions that interceptors make of an action.
    static func intercepted(_ action: any Action) throws -> [any Action]
    /// Returns the action of a timer that is due.
    static func fired(_ entry: Schedule.Entry) throws -> FiredTimer
    /// True if a hook of an interceptor follows the action.
    static func isHooked(_ action: any Action) -> Bool
    /// True if an interceptor put the action in the place of the sent action.
    static func isReplaced(by action: any Action, _ sent: Sent) -> Bool
    /// Returns the property that a record breaks if neither a call nor a note explains it.
    static func explains(_ record: Record, by cause: Record?) -> Property?
    /// Returns the dependencies of the effects.
    static func dependencies(_ clock: ManualClock) -> Dependencies
    /// Returns the views that show the slice of an action that a view dispatches.
    static func views(saying action: any Action, _ instance: String?) -> [String]
    /// Predicts the calls of presenters and reactions after an applied action, with their actions.
    static func follows(_ applied: Applied<Root>, _ calls: inout Calls)
    /// Predicts their calls when a store begins.
    static func begins(_ root: Root, _ calls: inout Calls)
    /// Predicts the effects that an applied action begins and cancels.
    static func effects(_ applied: Applied<Root>, _ works: inout Works)
    /// Returns the name that identifies an action; `nil` if it has none.
    static func note(of action: any Action) -> String?
    /// Pointers into the state that are worth a request.
    static var pointers: [[String]] { get }
    /// Returns a request of a client.
    static func ask(_ asker: inout Asker, _ root: Root) -> Request
    /// Returns the part of the state that an action's effect returns as its value; `nil` if it
    /// returns none.
    static func shownPart(of sent: Sent) -> [String]?
    /// Returns the personal member of an action's payload. The person is the sender, or the user
    /// that another member names.
    static func personalMember(of type: String) -> (name: String, owner: String?)?
    /// Returns the actions that remove a user from the state before the user is forgotten; an empty
    /// array if the program forgets no user.
    @Sendable static func forgetting(_ principal: String) -> [any Action]
    /// Returns the report of visibility that an action stands for, if a view may send it.
    static func visibility(of action: any Action) -> ViewVisibility?
    /// True if the slice exists whose view reports its visibility.
    static func isThere(_ slice: String, _ root: Root) -> Bool
    /// Returns the path of a stream.
    static func streams(_ chance: inout Chance) -> StreamTarget
    /// Returns a view, or its stream; `nil` if the store has no view.
    static func view(_ chance: inout Chance, isStream: Bool) -> StreamTarget?
}

extension Program {
    static var hasEditions: Bool { false }
    static func readers(_ applied: Applied<Root>) -> ((Reading) -> Bool)? { nil }
    static func share(_ root: inout Root) {}
    static func join(_ visitor: String, _ user: String, _ root: inout Root) {}
    static func intercepted(_ action: any Action) throws -> [any Action] { [action] }
    static func fired(_ entry: Schedule.Entry) throws -> FiredTimer {
        throw Violation(.consequence, "there are no timers")
    }
    static func isHooked(_ action: any Action) -> Bool { false }
    static func isReplaced(by action: any Action, _ sent: Sent) -> Bool { false }
    static func explains(_ record: Record, by cause: Record?) -> Property? { .consequence }
    static func dependencies(_ clock: ManualClock) -> Dependencies {
        .controlled(by: clock, seed: 1)
    }
    static func note(of action: any Action) -> String? { nil }
    static func shownPart(of sent: Sent) -> [String]? { nil }
    static func personalMember(of type: String) -> (name: String, owner: String?)? { nil }
    @Sendable static func forgetting(_ principal: String) -> [any Action] { [] }
    static func visibility(of action: any Action) -> ViewVisibility? { nil }
    static func view(_ chance: inout Chance, isStream: Bool) -> StreamTarget? { nil }
    static func isThere(_ slice: String, _ root: Root) -> Bool { true }
}

/// The action of a timer, as its record has to be.
struct FiredTimer {
    let type: Bytewise
    let payload: Bytewise
    let cause: UInt64
    /// The user or the visitor that the records belong to.
    let owner: String

    /// Makes the action of a timer that is due: `{"name":{…}}` in its entry.
    init(_ entry: Schedule.Entry) throws {
        let text = entry.action
        guard let colon = text.firstIndex(of: ":"), let last = text.lastIndex(of: "}") else {
            throw Violation(.consequence, "the timer has \(text)")
        }
        let name = text[text.index(text.startIndex, offsetBy: 2)..<text.index(before: colon)]
        type = Bytewise(entry.slice + "/" + name)
        payload = Bytewise(String(text[text.index(after: colon)..<last]))
        cause = entry.version
        owner = entry.owner ?? "~" + Sessions.shared
    }
}

/// The owner of the slices that an action changes.
enum Owner {
    case everybody
    /// The session that the action comes from.
    case session
    /// The principal that the action comes from, or its session as a visitor.
    case user
    /// No owner: the action changes one slice's parts for each session, or nothing.
    case nobody
}

/// An action that was applied, with the states around it.
struct Applied<Root: RootState> {
    let version: UInt64
    let action: any Action
    let instance: String?
    let session: String?
    let principal: ActionPrincipal?
    let audience: Audience?
    let before: Root
    let after: Root
    /// The states as JSON.
    let oldText: StateText
    let newText: StateText

    var old: [Bytewise] { oldText.slices }
    var new: [Bytewise] { newText.slices }

    /// True if the slice at a place has other bytes.
    func changed(_ module: Int) -> Bool { old[module] != new[module] }

    var wholeOld: Bytewise { oldText.whole }
    var wholeNew: Bytewise { newText.whole }

    /// The session that sent the action; the shared session if there is none.
    var author: String { session ?? Sessions.shared }

    /// Returns the sessions whose slices of a module differ, begin or end.
    func changedSessions<Value>(
        _ values: (Root) -> PerSession<Value>
    ) -> [(session: String, old: Value, new: Value)] {
        let (before, after) = (values(before), values(after))
        let (old, new) = (before.sessions, after.sessions)
        return (new + old.filter { !new.contains($0) }).compactMap { session in
            let isGone = old.contains(session) && !new.contains(session)
            guard
                isGone
                    || before.text(of: session, as: session) != after.text(of: session, as: session)
            else { return nil }
            return (session, before[session], after[session])
        }
    }

    /// True if the presenter of this name is called.
    func calls(_ name: String) -> Bool { audience?.means(name) ?? true }
}

extension Audience {
    /// True if the recipients contain this name; the bytes of the names are compared.
    func means(_ name: String?) -> Bool {
        let name = name.map { Bytewise($0) }
        return switch self {
        case .only(let names): names.contains { Bytewise($0.text) == name }
        case .allExcept(let names): !names.contains { Bytewise($0.text) == name }
        }
    }
}

/// The expected calls of presenters and reactions, and the actions that they dispatch.
struct Calls {
    private(set) var calls: [Recorder.Call] = []
    private(set) var own: [Own] = []
    private var counts: [String: Int] = [:]

    /// An action that a presenter or a reaction dispatches.
    struct Own {
        let action: any Action
        let audience: Audience?
        /// The session that the action comes from; `nil` for the session of its cause.
        let session: String?
        /// True if the action is another module's own, and so is refused.
        let isForeign: Bool
    }

    /// Adds a call of a presenter or a reaction. Returns the number of its calls.
    mutating func call(_ part: String, _ old: Bytewise, _ new: Bytewise) -> Int {
        calls.append(Recorder.Call(part: part, old: old, new: new))
        counts[part, default: 0] += 1
        return counts[part] ?? 0
    }

    mutating func dispatch(
        _ action: any Action,
        for audience: Audience? = nil,
        from session: String? = nil,
        isForeign: Bool = false
    ) {
        own.append(
            Own(action: action, audience: audience, session: session, isForeign: isForeign)
        )
    }

    mutating func takeCalls() -> [Recorder.Call] {
        defer { calls = [] }
        return calls
    }

    mutating func takeOwn() -> [Own] {
        defer { own = [] }
        return own
    }
}

/// The effects that should run.
struct Works {
    struct Work {
        let note: String
        /// The effect's id within the slice, if it has an id.
        let id: Bytewise?
        let module: String
        let instance: Bytewise?
        let session: String?
        /// The name of the principal whose action began the effect.
        let principal: String?
        let version: UInt64
        var isCut = false
    }

    /// The name of the principal whose action is applied.
    var sender: String?
    private(set) var all: [String: Work] = [:]
    /// The effects that must begin, with their counts.
    private(set) var due: [String: Int] = [:]
    private(set) var possible: Set<String> = []

    mutating func begin(
        _ note: String,
        id: String? = nil,
        of module: String,
        _ instance: String?,
        _ session: String?,
        _ version: UInt64,
        as names: [String],
        possibly: [String] = []
    ) {
        all[note] = Work(
            note: note,
            id: id.map { Bytewise($0) },
            module: module,
            instance: instance.map { Bytewise($0) },
            session: session,
            principal: sender,
            version: version
        )
        for name in names { due[name, default: 0] += 1 }
        possible.formUnion(possibly)
    }

    mutating func cut(where isMeant: (Work) -> Bool) {
        for (note, work) in all where !work.isCut && isMeant(work) {
            all[note]?.isCut = true
            // A part that has not begun may be cancelled before its beginning.
            for name in due.keys where name.hasPrefix(note + "/") {
                due[name] = nil
                possible.insert(name)
            }
        }
    }

    /// Records the beginning of an effect. Returns true if the effect may begin.
    mutating func began(_ name: String) -> Bool {
        guard let count = due[name] else { return possible.contains(name) }
        due[name] = count > 1 ? count - 1 : nil
        return true
    }

    mutating func end() { self = Works() }
}
