import StoreCore
import StorePatterns
import StoreServer

/// The simulator's store of a team.
enum TeamProgram: Program {
    /// True if clients without a session are operators, which act on all slices.
    @TaskLocal static var operatorReads = false

    /// The members of the policy, each with a role of the same name.
    static let members = ["member0", "member1", "member2"]

    static func server(_ recorder: Recorder, isIntercepted: Bool) -> Server<Team> {
        Server(Team.self)
            .personal("den/{id}/noted", "/text")
            .personal("den/{id}/carded", "/text")
            .personal("bulletin/start", "/text", of: "/role")
            .personal("bulletin/changed", "/text", of: "/role")
            .forgetting(forgetting)
    }

    static func personalMember(of type: String) -> (name: String, owner: String?)? {
        switch type.split(separator: "/").last {
        case "noted", "carded": ("text", nil)
        case "start", "changed": type.hasPrefix("bulletin/") ? ("text", "role") : nil
        default: nil
        }
    }

    @Sendable static func forgetting(_ principal: String) -> [any Action] {
        [Users.Internal.forgotten(principal: principal), Swept(member: principal)]
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
        case is Peeked: _ = try read(root.den[try some(instance)], by: reader)
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
        case let action as Purse.Action:
            let owner = StateText.owner(as: principal?.name, in: session)
            try root.purse.change(owner) { _ = try Purse().reduce(&$0, action, in: context) }
            guard case .lent(_, let seconds) = action else { break }
            lend(&root, as: owner, at: version, time + Int64(seconds) * 1_000_000_000)
        case let action as Purse.Internal:
            let owner = StateText.owner(as: principal?.name, in: session)
            root.purse.change(owner) { _ = Purse().reduce(&$0, internal: action, in: context) }
        case is Users.Internal: break
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

    /// Sets the timer of a user's purse.
    private static func lend(
        _ root: inout Team,
        as owner: String,
        at version: UInt64,
        _ due: Int64
    ) {
        root.schedule.set(
            Schedule.Entry(
                slice: "purse",
                owner: owner,
                id: "loan",
                due: due,
                interval: nil,
                missed: .once,
                version: version,
                kind: "internal",
                action: JSONText.object([("repaid", "{}")])
            ),
            owner + " purse/loan"
        )
    }

    static func owner(of action: any Action) -> Owner {
        switch action {
        case is Sessions.Internal: .nobody
        case is Purse.Action, is Purse.Internal, is Users.Internal: .user
        default: .everybody
        }
    }

    static func join(_ visitor: String, _ user: String, _ root: inout Team) {
        guard root.purse.owners.contains(visitor) else { return }
        let coins = root.purse[visitor].coins
        root.purse.change(user) { $0.coins += coins }
    }

    static func end(_ session: String, _ root: inout Team) {
        root.purse.end(session)
        for owner in [session, "~" + session] { root.schedule.remove(owner + " purse/loan") }
    }

    static func fired(_ entry: Schedule.Entry) throws -> FiredTimer { try FiredTimer(entry) }

    static func readers(_ applied: Applied<Team>) -> ((Reading) -> Bool)? {
        switch applied.action {
        case is ModuleStart<Den>, is ModuleStop<Den>, is Den.Action, is Den.Internal, is Peeked:
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

    static func note(of action: any Action) -> String? {
        switch action {
        case Den.Action.postponed(let note, _, _), Den.Internal.arrived(let note, _): note
        case let action as Peeked: action.note
        default: nil
        }
    }

    // Consequences

    static func follows(_ applied: Applied<Team>, _ calls: inout Calls) {
        guard applied.changed(0) else { return }
        let (before, after) = (applied.before.den, applied.after.den)
        for id in after.ids + before.ids.filter({ after[$0] == nil }) {
            let (old, new) = (Bytewise(json: before[id]), Bytewise(json: after[id]))
            guard old != new else { continue }
            _ = calls.call("den@/" + id, old, new)
            guard let old = before[id]?.title, let new = after[id]?.title,
                Bytewise(old) != Bytewise(new)
            else { continue }
            calls.dispatch(Tally.Action.counted(by: 1))
        }
    }

    static func begins(_ root: Team, _ calls: inout Calls) {
        for id in root.den.ids {
            _ = calls.call("den@/" + id, .absent, Bytewise(json: root.den[id]))
        }
        // Without any den, the presenter is called once all the same.
        if root.den.ids.isEmpty { _ = calls.call("den@/", .absent, .absent) }
    }

    static func effects(_ applied: Applied<Team>, _ works: inout Works) {
        func begin(_ note: String, _ id: String?) {
            works.begin(
                note,
                id: id,
                of: "den",
                applied.instance,
                applied.session,
                applied.version,
                as: [note]
            )
        }
        switch applied.action {
        case Den.Action.postponed(let note, _, _): begin(note, "postponed")
        case let action as Peeked: begin(action.note, nil)
        case is ModuleStart<Den>, is ModuleStop<Den>:
            works.cut { [id = applied.instance.map { Bytewise($0) }] in $0.instance == id }
        case Sessions.Internal.ended(let session): works.cut { $0.session == session }
        case Users.Internal.forgotten(let principal): works.cut { $0.principal == principal }
        default: break
        }
    }
}
