/// The timers of a store: a slice of the state with an entry for each timer that is still due.
///
/// A root state mounts this module if a reducer sets timers (``Effect/after(_:id:_:missed:)``):
///
/// ```swift
/// var schedule = Schedule.State()
///
/// static let modules: Modules = [Orders().at(\.orders), Schedule().at(\.schedule)]
/// ```
///
/// The action that sets a timer also adds the entry of the timer, in the same version. When the
/// timer is due, the store dispatches two actions that are applied together. The first is
/// `schedule/fired`, which removes the entry or sets the timer's next due time. The second is the
/// action of the timer. So the action of the timer is applied exactly once for each due time. The
/// action is applied once even if the server is killed, or if several servers write one history.
public struct Schedule: ContextualModule {
    /// The timers by their names.
    public struct State: ModuleState {
        package fileprivate(set) var table = ValueTable<Entry>()

        /// Makes a schedule without timers.
        public init() {}

        /// The timers that are still due, by their names. Cost: linear in the number of timers.
        public var timers: [Entry] { table.members.map(\.value) }

        /// The timer with this name; `nil` if there is none.
        public subscript(name: String) -> Entry? { table[name] }

        /// Reads an object of timers.
        public init(from decoder: any Decoder) throws { table = try ValueTable(from: decoder) }

        /// Writes an object of timers.
        public func encode(to encoder: any Encoder) throws { try table.encode(to: encoder) }
    }

    /// A timer.
    public struct Entry: ModuleState {
        /// The slice that the timer belongs to, such as `orders` or `cards/7`.
        public let slice: String
        /// The session or the user that owns the slice; `nil` for a slice that all clients share.
        public let owner: String?
        /// The id that the reducer gave the timer.
        public let id: String
        /// The time at which the timer is due next, in nanoseconds since 1970.
        public internal(set) var due: Int64
        /// The interval between two due times of a repeated timer, in nanoseconds; `nil` if the
        /// timer is due once. The interval of a daily timer is one day.
        public let interval: Int64?
        /// The treatment of the due times that pass while no server runs.
        public let missed: MissedTimer
        /// The version of the action that set the timer; 0 for a timer that a module declares.
        public let version: UInt64
        /// True if a ``ScheduledModule`` declares the timer; `nil` if a reducer has set the timer.
        let isDeclared: Bool?
        /// The kind of the action, `action` or `internal`.
        let kind: String
        /// The action as JSON.
        package let action: String

        package init(
            slice: String,
            owner: String? = nil,
            id: String,
            due: Int64,
            interval: Int64?,
            missed: MissedTimer,
            version: UInt64,
            isDeclared: Bool? = nil,
            kind: String,
            action: String
        ) {
            self.slice = slice
            self.owner = owner
            self.id = id
            self.due = due
            self.interval = interval
            self.missed = missed
            self.version = version
            self.isDeclared = isDeclared
            self.kind = kind
            self.action = action
        }
    }

    /// The actions of the store and of operators.
    public enum Internal: ModuleAction {
        /// A timer was due at this time.
        case fired(timer: String, due: Int64)
        /// A due time of a timer is skipped, because it passed while no server ran.
        case skipped(timer: String, due: Int64)
        /// The store has set a timer that a module declares.
        case declared(timer: String, entry: Entry)
        /// The store or an operator has removed a timer.
        case cancelled(timer: String)
    }

    /// The maximum size of the id of a timer, in bytes.
    public static var idBytesMax: Int { 128 }

    /// Makes the module.
    public init() {}

    /// Sets or removes a timer, or sets the next due time of a timer. Refuses a due time that was
    /// handled already.
    public func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext)
        throws
    {
        switch action {
        case .fired(let name, let due):
            let skipsPast = state.table[name]?.missed != .each
            try state.advance(name, from: due, at: context.time, skipsPast: skipsPast)
        case .skipped(let name, let due):
            try state.advance(name, from: due, at: context.time, skipsPast: true)
        case .declared(let name, let entry): state.table[name] = entry
        case .cancelled(let name):
            guard state.table[name] != nil else { throw Refusal(reason: "There is no such timer.") }
            state.table[name] = nil
        }
    }
}

extension Schedule.State: PiecewiseState {
    package static var pieceLayout: PieceLayout { .object }
}

extension Schedule.State {
    package mutating func set(_ entry: Schedule.Entry, _ name: String) { table[name] = entry }
    package mutating func remove(_ name: String) { table[name] = nil }

    /// Sets the next due time of a timer, or removes a timer that is not due again. If `skipsPast`
    /// is true, the next due time is later than `now`.
    fileprivate mutating func advance(
        _ name: String,
        from due: Int64,
        at now: Int64,
        skipsPast: Bool
    ) throws(Refusal) {
        guard var entry = table[name], entry.due == due else {
            throw Refusal(reason: "The timer is not due at this time.")
        }
        guard let interval = entry.interval else {
            table[name] = nil
            return
        }
        let next = due.addingClamped(interval)
        entry.due =
            skipsPast && next <= now
            ? TimerRule.nextDueTime(from: due, every: interval, after: now) : next
        table[name] = entry
    }

    /// Removes all timers whose names have this prefix.
    mutating func removeAll(withPrefix prefix: String) {
        for name in table.names(withPrefix: prefix) { table[name] = nil }
    }
}

/// The names of timers: the path of the slice, a slash, and the timer's id. If the slice has an
/// owner, the owner and a space come first.
///
/// A name escapes spaces in an owner, slashes in the id of an instance, and percent signs in both.
/// Without the escapes, two timers could have the same name. A removal of all timers of the user
/// `a` would also remove the timers of the user `a b`.
package enum TimerName {
    package static func prefix(ofOwner owner: String) -> String {
        escaped(owner, UInt8(ascii: " "), as: "%20") + " "
    }

    /// Returns the prefix of the names of a slice's timers. Without an instance, the prefix is for
    /// all instances of the module.
    static func prefix(of address: SliceAddress) -> String {
        let owner = address.key.owner.map(prefix(ofOwner:)) ?? ""
        let instance = address.instance.map { escaped($0, UInt8(ascii: "/"), as: "%2F") + "/" }
        return owner + address.module + "/" + (instance ?? "")
    }

    private static func escaped(_ text: String, _ byte: UInt8, as escape: String) -> String {
        let percent = UInt8(ascii: "%")
        guard text.utf8.contains(where: { $0 == byte || $0 == percent }) else { return text }
        var bytes: [UInt8] = []
        for next in text.utf8 {
            bytes +=
                next == byte ? Array(escape.utf8) : next == percent ? Array("%25".utf8) : [next]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func name(of id: String, at address: SliceAddress) -> String {
        prefix(of: address) + id
    }
}

/// The reason why a timer cannot be set. The action that asked for the timer is not applied.
package enum TimerError: Error, Equatable, CustomStringConvertible {
    /// The root state does not mount ``Schedule``.
    case noSchedule(module: String)
    /// The action of the timer belongs to another module, or to no module.
    case foreignAction(String, module: String)
    /// The id or the interval of the timer is not allowed.
    case invalid(String)
    case unencodable(type: String, reason: String)

    package var description: String {
        switch self {
        case .noSchedule(let module):
            "module '\(module)' sets a timer, but the state has no schedule; add "
                + "`var schedule = Schedule.State()` and `Schedule().at(\\.schedule)`"
        case .foreignAction(let type, let module):
            "module '\(module)' sets a timer for \(type), which is no action of the module"
        case .invalid(let fault): fault
        case .unencodable(let type, let reason):
            "the action of a timer, a \(type), can't be encoded: \(reason)"
        }
    }
}
