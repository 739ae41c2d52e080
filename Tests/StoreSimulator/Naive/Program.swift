import StoreControlledWorld
import StoreCore
import StorePatterns
import StoreServer

/// A store that is simulated, with a model of it: a plain reading of its source.
protocol Program: SendableMetatype {
    associatedtype Root: RootState

    /// The store as it is served. Its presenters and reactions note their calls in `recorder`.
    static func server(_ recorder: Recorder, isIntercepted: Bool) -> StoreServer<Root>

    /// Whether a start may serve another edition of the program.
    static var hasEditions: Bool { get }

    /// Reduces an action of a session, or throws; the caller forgets what it changed then.
    static func reduce(
        _ root: inout Root,
        _ action: any Action,
        for instance: String?,
        of session: String,
        at version: UInt64
    ) throws
    /// Whose the slices are that an action changes.
    static func owner(of action: any Action) -> Owner
    /// Brings what modules see of others up to date.
    static func share(_ root: inout Root)
    /// Takes out all that a session has.
    static func end(_ session: String, _ root: inout Root)
    /// What interceptors make of an action.
    static func intercepted(_ action: any Action) throws -> [any Action]
    /// Whether a hook of an interceptor follows the action.
    static func isHooked(_ action: any Action) -> Bool
    /// Whether an action is another one than was sent.
    static func isReplaced(by action: any Action, _ sent: Sent) -> Bool
    /// What is wrong with a record that only an effect without notes can have dispatched.
    static func explains(_ record: Record, by cause: Record?) -> Property?
    /// What effects need of the world.
    static func dependencies(_ clock: ManualClock) -> Dependencies
    /// The views that show the slice of an action, where the action is one that a view dispatches.
    static func views(saying action: any Action, _ instance: String?) -> [String]
    /// The calls of presenters and reactions after an applied action, and what they dispatch.
    static func follows(_ applied: Applied<Root>, _ calls: inout Calls)
    /// Their calls when a store begins.
    static func begins(_ root: Root, _ calls: inout Calls)
    /// What an applied action does to effects.
    static func effects(_ applied: Applied<Root>, _ works: inout Works)
    /// The name by which an action is recognised; `nil` for one that has none.
    static func note(of action: any Action) -> String?
    /// Places in the state that are worth looking at.
    static var pointers: [[String]] { get }
    /// A request of a client.
    static func ask(_ asker: inout Asker, _ root: Root) -> Request
    /// What an action says of its view, where a view has it said.
    static func visibility(of action: any Action) -> ViewVisibility?
    /// Whether a slice whose view reports that it is shown is there.
    static func isThere(_ slice: String, _ root: Root) -> Bool
    /// Paths of streams that are worth reading.
    static func streams(_ chance: inout Chance) -> StreamTarget
    /// A view, or its stream; `nil` where the store has none.
    static func view(_ chance: inout Chance, isStream: Bool) -> StreamTarget?
}

extension Program {
    static var hasEditions: Bool { false }
    static func share(_ root: inout Root) {}
    static func intercepted(_ action: any Action) throws -> [any Action] { [action] }
    static func isHooked(_ action: any Action) -> Bool { false }
    static func isReplaced(by action: any Action, _ sent: Sent) -> Bool { false }
    static func explains(_ record: Record, by cause: Record?) -> Property? { .consequence }
    static func dependencies(_ clock: ManualClock) -> Dependencies {
        .controlled(by: clock, seed: 1)
    }
    static func note(of action: any Action) -> String? { nil }
    static func visibility(of action: any Action) -> ViewVisibility? { nil }
    static func view(_ chance: inout Chance, isStream: Bool) -> StreamTarget? { nil }
    static func isThere(_ slice: String, _ root: Root) -> Bool { true }
}

/// Whose the slices are that an action changes.
enum Owner {
    case everybody
    /// The session's that it comes from.
    case session
    /// A part for each session of one slice, or none at all.
    case nobody
}

/// An action that was applied, with the states around it.
struct Applied<Root: RootState> {
    let version: UInt64
    let action: any Action
    let instance: String?
    let session: String?
    let audience: Audience?
    let before: Root
    let after: Root
    /// The states as JSON.
    let oldText: StateText
    let newText: StateText

    var old: [Bytewise] { oldText.slices }
    var new: [Bytewise] { newText.slices }

    /// Whether the slice at a place has other bytes.
    func changed(_ module: Int) -> Bool { old[module] != new[module] }

    var wholeOld: Bytewise { oldText.whole }
    var wholeNew: Bytewise { newText.whole }

    /// Who asked for it: the shared session where no other did.
    var author: String { session ?? Sessions.shared }

    /// The sessions whose slices of a module are others, or came or went with their session.
    func changedSessions<Value>(
        _ values: (Root) -> PerSession<Value>
    ) -> [(session: String, old: Value, new: Value)] {
        let (before, after) = (values(before), values(after))
        let (old, new) = (before.sessions, after.sessions)
        return (new + old.filter { !new.contains($0) }).compactMap { session in
            let isGone = old.contains(session) && !new.contains(session)
            guard isGone || before.text(of: session) != after.text(of: session) else { return nil }
            return (session, before[session], after[session])
        }
    }

    /// Whether the presenter of this name is called.
    func calls(_ name: String) -> Bool { audience?.means(name) ?? true }
}

extension Audience {
    /// Whether one of this name is meant, by the bytes of the names.
    func means(_ name: String?) -> Bool {
        let name = name.map { Bytewise($0) }
        return switch self {
        case .only(let names): names.contains { Bytewise($0.text) == name }
        case .allExcept(let names): !names.contains { Bytewise($0.text) == name }
        }
    }
}

/// The calls that presenters and reactions should have got, and what they dispatch then.
struct Calls {
    private(set) var calls: [Recorder.Call] = []
    private(set) var own: [Own] = []
    private var counts: [String: Int] = [:]

    /// An action that a presenter or a reaction dispatches.
    struct Own {
        let action: any Action
        let audience: Audience?
        /// The session that it comes from; `nil` for that of the action that led to it.
        let session: String?
        /// Whether it is another module's own, and so is refused.
        let isForeign: Bool
    }

    /// A presenter or a reaction is called. Returns how many calls it has had.
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

/// The effects that run, as they should.
struct Works {
    struct Work {
        let note: String
        /// Its id within the slice, where it has one.
        let id: Bytewise?
        let module: String
        let instance: Bytewise?
        let session: String?
        let version: UInt64
        var isCut = false
    }

    private(set) var all: [String: Work] = [:]
    /// What has to begin, and what may.
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
            version: version
        )
        for name in names { due[name, default: 0] += 1 }
        possible.formUnion(possibly)
    }

    mutating func cut(where isMeant: (Work) -> Bool) {
        for (note, work) in all where !work.isCut && isMeant(work) {
            all[note]?.isCut = true
            // A part of it that has not begun may be cancelled before it does.
            for name in due.keys where name.hasPrefix(note + "/") {
                due[name] = nil
                possible.insert(name)
            }
        }
    }

    /// An effect has begun. Answers whether that is right.
    mutating func began(_ name: String) -> Bool {
        guard let count = due[name] else { return possible.contains(name) }
        due[name] = count > 1 ? count - 1 : nil
        return true
    }

    mutating func end() { self = Works() }
}
