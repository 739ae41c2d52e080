import StoreCore
import StoreJSON
import StorePatterns
import StoreServer

/// The simulator's store of a team.
enum TeamProgram: Program {
    /// True if clients without a session are operators, which act on all slices.
    @TaskLocal static var operatorReads = false

    /// The members of the policy, each with a role of the same name.
    private static let members = ["member0", "member1", "member2"]

    static func server(_ recorder: Recorder, isIntercepted: Bool) -> Server<Team> {
        Server(Team.self)
    }

    static func reduce(
        _ root: inout Team,
        _ action: any Action,
        for instance: String?,
        of session: String,
        as principal: ActionPrincipal?,
        at version: UInt64,
        _ time: Int64
    ) throws {
        let context = ReducerContext(
            as: principal,
            session: session,
            instance: instance,
            version: version,
            time: time
        )
        let reader = TeamReader(principal, session)
        switch action {
        case let start as ModuleStart<Den>:
            let id = try some(instance)
            if let old = root.den[id] { _ = try read(old, by: reader) }
            guard root.den[id] == nil else { throw Refusal(reason: "It is there.") }
            guard !id.isEmpty else { throw Refusal(reason: "There is no id.") }
            root.den[id] = try Den().begin(start.start, in: context)
        case is ModuleStop<Den>:
            let id = try some(instance)
            _ = try read(root.den[id], by: reader)
            root.den[id] = nil
            root.schedule.remove("den/" + id + "/plan")
        case let action as Den.Action:
            let id = try some(instance)
            var den = try read(root.den[id], by: reader)
            _ = try Den().reduce(&den, action, in: context)
            root.den[id] = den
            if case .planned(let text, let seconds) = action {
                plan(&root, id, text, at: version, time + Int64(seconds) * 1_000_000_000)
            }
        case let action as Den.Internal:
            let id = try some(instance)
            var den = try some(root.den[id])
            _ = Den().reduce(&den, internal: action, in: context)
            root.den[id] = den
        case let start as ModuleStart<Bulletin>:
            if let old = root.bulletin {
                guard reader.reads(old) else { throw Refusal(reason: "It is taken.") }
                throw Refusal(reason: "It is there.")
            }
            root.bulletin = Bulletin().begin(start.start)
        case is ModuleStop<Bulletin>:
            guard let old = root.bulletin, reader.reads(old) else {
                throw Refusal(reason: "It is not there.")
            }
            root.bulletin = nil
        case let action as Bulletin.Action:
            guard var bulletin = root.bulletin, reader.reads(bulletin) else {
                throw Refusal(reason: "It is not there.")
            }
            Bulletin().reduce(&bulletin, action)
            root.bulletin = bulletin
        case let action as Tally.Action: Tally().reduce(&root.tally, action)
        case let action as Swept: try action.updateState(&root)
        case let action as Sessions.Internal:
            _ = Sessions().reduce(&root.sessions, internal: action)
        case let action as Schedule.Internal:
            guard case .fired(let timer, let due) = action, root.schedule[timer]?.due == due
            else { throw Refusal(reason: "It is not due.") }
            root.schedule.remove(timer)
        case is ClientRequest: break
        default: throw Refusal(reason: "There is no such action.")
        }
    }

    private static func some<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Refusal(reason: "It is not there.") }
        return value
    }

    private static func read(_ den: Den.State?, by reader: TeamReader) throws -> Den.State {
        guard let den, reader.reads(den) else { throw Refusal(reason: "It is not there.") }
        return den
    }

    /// Sets the timer of a den.
    private static func plan(
        _ root: inout Team,
        _ id: String,
        _ text: String,
        at version: UInt64,
        _ due: Int64
    ) {
        let payload = JSONText.object([("text", JSONText.string(text))])
        root.schedule.set(
            Schedule.Entry(
                slice: "den/" + id,
                owner: nil,
                id: "plan",
                due: due,
                interval: nil,
                missed: .once,
                version: version,
                kind: "internal",
                action: JSONText.object([("planRan", payload)])
            ),
            "den/" + id + "/plan"
        )
    }

    static func owner(of action: any Action) -> Owner {
        action is Sessions.Internal ? .nobody : .everybody
    }

    static func end(_ session: String, _ root: inout Team) {}
    static func fired(_ entry: Schedule.Entry) throws -> FiredTimer { try FiredTimer(entry) }

    static func readers(_ applied: Applied<Team>) -> ((Reading) -> Bool)? {
        switch applied.action {
        case is ModuleStart<Den>, is ModuleStop<Den>, is Den.Action, is Den.Internal:
            let id = applied.instance ?? ""
            let den = applied.after.den[id] ?? applied.before.den[id]
            return { reading in den.map { TeamReader(reading).reads($0) } ?? false }
        case is ModuleStart<Bulletin>, is ModuleStop<Bulletin>, is Bulletin.Action:
            let bulletin = applied.after.bulletin ?? applied.before.bulletin
            return { reading in bulletin.map { TeamReader(reading).reads($0) } ?? false }
        case is Schedule.Internal: return { _ in false }
        default: return nil
        }
    }

    static func views(saying action: any Action, _ instance: String?) -> [String] { [] }
    static func follows(_ applied: Applied<Team>, _ calls: inout Calls) {}
    static func begins(_ root: Team, _ calls: inout Calls) {}
    static func effects(_ applied: Applied<Team>, _ works: inout Works) {}

    // Requests

    static func ask(_ asker: inout Asker, _ root: Team) -> Request {
        let isArray = asker.chance.happens(1, in: 4)
        let count = isArray ? 1 + asker.chance.below(4) : 1
        var dispatch = Request.Dispatch(members: (0..<count).map { _ in sent(&asker, root) })
        dispatch.isArray = isArray
        dispatch.isDryRun = asker.chance.happens(1, in: 8)
        if asker.chance.happens(1, in: 8) { dispatch.key = "k\(asker.chance.below(12))" }
        if asker.chance.happens(1, in: 5) {
            dispatch.condition = asker.chance.pick([.newest, .newest, .older, .older, .any])
        }
        if asker.chance.happens(1, in: 8) {
            dispatch.prefers = asker.chance.pick(["return=representation", "wait=5", "wait=0"])
        }
        return .dispatch(dispatch)
    }

    private static let ids = ["a", "b", "e\u{301}", "\u{E9}", "c d"]

    private static func sent(_ asker: inout Asker, _ root: Team) -> Sent {
        let id = asker.chance.pick(ids)
        let text = JSONText.string(asker.text())
        let member = JSONText.string(asker.chance.pick(members))
        func den(_ name: String, _ fields: (String, String)...) -> Sent {
            Sent("den/\(id)/\(name)", JSONText.object(fields))
        }
        switch asker.chance.below(30) {
        case 0...5:
            let isOpen = asker.chance.happens(1, in: 4)
            return den("start", ("title", text), ("isOpen", "\(isOpen)"))
        case 6: return Sent("den/\(id)/stop")
        case 7...9: return den("noted", ("text", text))
        case 10, 11: return den("titled", ("title", text))
        case 12...15: return den("invited", ("member", member))
        case 16...18: return den("removed", ("member", member))
        case 19: return den("lent", ("role", asker.chance.happens(1, in: 2) ? "\"\"" : member))
        case 20: return den("opened", ("isOpen", "\(asker.chance.happens(1, in: 2))"))
        case 21:
            return den("planned", ("text", text), ("seconds", "\(asker.chance.below(90))"))
        case 22: return den("looked", ("text", text))
        case 23:
            return Sent("bulletin/start", JSONText.object([("text", text), ("role", member)]))
        case 24: return Sent("bulletin/stop")
        case 25, 26:
            return Sent("bulletin/changed", JSONText.object([("text", text), ("role", member)]))
        case 27: return Sent("Swept", JSONText.object([("member", member)]))
        default: return Sent("tally/counted", "{\"by\":\(asker.chance.below(3))}")
        }
    }

    static let pointers = [
        ["den"], ["den", "a"], ["den", "b", "notes", "0"], ["den", "\u{E9}", "title"],
        ["den", "e\u{301}"], ["bulletin"], ["bulletin", "text"], ["tally", "count"],
        ["schedule"], ["sessions", "shared", "route"],
    ]

    static func view(_ chance: inout Chance, isStream: Bool) -> StreamTarget? {
        StreamTarget(path: "/views/titles" + (isStream ? "/events" : "")) { text in
            guard let dens = text.part(at: ["den"]),
                let document = try? JSONDocument(parsing: dens.bytes, limits: .unbounded)
            else { return .absent }
            let titles = document.root.members.compactMap {
                $0.value.member(named: "title").map { String($0.sourceText) }
            }
            let bulletin = text.part(at: ["bulletin", "text"])?.text ?? "\"\""
            return .json(
                Bytewise(
                    "{\"titles\":[" + titles.joined(separator: ",") + "],\"bulletin\":\(bulletin)}"
                )
            )
        }
    }

    static func streams(_ chance: inout Chance) -> StreamTarget {
        let names = Team.modules.map(\.name)
        let patch = chance.happens(1, in: 2) ? "?mode=patch" : ""
        if chance.happens(1, in: 5), let view = view(&chance, isStream: true) { return view }
        switch chance.below(4) {
        case 0: return StreamTarget(path: "/events" + patch, part: { .json($0.whole) })
        case 1:
            let module = chance.below(names.count)
            let path = "/modules/\(names[module])/events" + patch
            return StreamTarget(path: path) { .slice($0.slices[module]) }
        case 2:
            let id = chance.pick(ids)
            let path = "/modules/den/\(StreamTarget.escaped(id))/events" + patch
            return StreamTarget(path: path) { .part($0, ["den", id]) }
        default:
            let tokens = chance.pick(pointers)
            let pointer = JSONPointer(tokens: tokens).description
            let path = "/events?path=" + StreamTarget.escaped(pointer)
            return StreamTarget(path: path + patch.replacingFirst("?", by: "&")) {
                .part($0, tokens)
            }
        }
    }
}

/// A client, as the plain rules of the dens see it.
struct TeamReader {
    private let name: String?
    private let role: String?
    private let readsAll: Bool

    init(_ principal: ActionPrincipal?, _ session: String) {
        name = principal?.name
        role = principal?.role
        readsAll =
            principal == nil && session == Sessions.shared && TeamProgram.operatorReads
    }

    init(_ reading: Reading) {
        (name, role) = (reading.principal, reading.principal)
        readsAll = reading.isOperator
    }

    /// Makes the reader of an owner's name; the role of a member has the name of the member.
    init(owner: String) {
        let member = owner.hasPrefix("@") ? String(owner.dropFirst()) : nil
        (name, role) = (member, member)
        // If clients without a session are operators, their views show all slices, too.
        readsAll = Self.isOperator(owner)
    }

    static func isOperator(_ owner: String) -> Bool {
        TeamProgram.operatorReads && owner == "~" + Sessions.shared
    }

    func reads(_ den: Den.State) -> Bool {
        readsAll || den.isOpen || (name.map { den.members.contains($0) } ?? false)
            || (role.map { $0 == den.role } ?? false)
    }

    func reads(_ bulletin: Bulletin.State) -> Bool { readsAll || role == bulletin.role }
}

extension RestrictedValue: VisibleParts {
    func text(of session: String, as owner: String) -> Bytewise {
        let reader = TeamReader(owner: owner)
        switch value {
        case let dens as Instances<Den.State>:
            let members = dens.ids.compactMap { id -> (String, String)? in
                guard let den = dens[id], reader.reads(den) else { return nil }
                return (id, Bytewise(json: den).text)
            }
            return Bytewise(JSONText.object(members))
        case let bulletin as Bulletin.State:
            return reader.reads(bulletin) ? Bytewise(json: bulletin) : .absent
        default: return .absent
        }
    }

    var sessionNames: [String] { (0..<3).map { "@member\($0)" } }
}

/// The schedule of a store with restricted slices, which only operators read.
struct HiddenSchedule: VisibleParts {
    let schedule: Schedule.State

    func text(of session: String, as owner: String) -> Bytewise {
        TeamReader.isOperator(owner) ? Bytewise(json: schedule) : Bytewise("{}")
    }

    var sessionNames: [String] { [] }
}
