import StoreCore
import StoreJSON
import StorePatterns

extension WorkshopProgram {
    /// Calls the reducers of the modules in turn.
    static func reduce(
        _ root: inout Workshop,
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
        switch action {
        case let action as Shelf.Action: try Shelf().reduce(&root.shelf, action)
        case let action as ModuleStart<Plate>:
            var plate = try Plate().begin(action.start)
            if let old = root.plate { plate.taps = old.taps }
            root.plate = plate
        case is ModuleStop<Plate>:
            _ = try there(root.plate)
            root.plate = nil
        case let action as Plate.Action:
            var plate = try there(root.plate)
            Plate().reduce(&plate, action)
            root.plate = plate
        case let action as Plate.UI:
            var plate = try there(root.plate)
            Plate().reduce(&plate, ui: action)
            root.plate = plate
        case let action as Plate.Internal:
            var plate = try there(root.plate)
            Plate().reduce(&plate, internal: action)
            root.plate = plate
        case let action as ModuleStart<Bin>:
            let id = try there(instance)
            try absent(root.bins[id])
            root.bins[id] = Bin().begin(action.start)
        case is ModuleStop<Bin>:
            let id = try there(instance)
            _ = try there(root.bins[id])
            endBin(id, &root)
        case let action as Bin.Action:
            let id = try there(instance)
            var bin = try there(root.bins[id])
            _ = try Bin().reduce(&bin, action)
            root.bins[id] = bin
        case let action as Bin.Internal:
            let id = try there(instance)
            var bin = try there(root.bins[id])
            _ = Bin().reduce(&bin, internal: action)
            root.bins[id] = bin
        case let action as FirstBin.Filled: try fill(&root, instance, by: action.by)
        case let action as SecondBin.Filled: try fill(&root, instance, by: action.times)
        case is SecondBin.Emptied: try fill(&root, instance, by: nil)
        case let action as Bin.UI:
            let id = try there(instance)
            var bin = try there(root.bins[id])
            _ = Bin().reduce(&bin, ui: action)
            root.bins[id] = bin
            switch action {
            case .appeared: root.presence.insert("bins/" + id, in: session)
            case .disappeared: hide("bins/" + id, from: session, &root)
            }
        case let action as Desk.UI:
            Desk().reduce(&root.desk, ui: action, in: context)
            switch action {
            case .appeared: root.presence.insert("desk", in: session)
            case .disappeared: hide("desk", from: session, &root)
            }
        case let action as Desk.Action: try Desk().reduce(&root.desk, action, in: context)
        case let action as Desk.Internal:
            try Desk().reduce(&root.desk, internal: action, in: context)
        case let action as Safe.Action: Safe().reduce(&root.safe, action)
        case let action as Unlock: action.updateState(&root.safe)
        case let action as Jobs.Action: _ = try Jobs().reduce(&root.jobs, action)
        case let action as Jobs.Internal: _ = Jobs().reduce(&root.jobs, internal: action)
        case is Multiply, is ClientRequest: break
        case let action as PendingEffects.Internal:
            PendingEffects().reduce(&root.effects, internal: action)
        case let action as Draft.Action:
            try root.draft.change(session) { _ = try Draft().reduce(&$0, action) }
        case let action as Draft.Internal:
            root.draft.change(session) { _ = Draft().reduce(&$0, internal: action) }
        case let action as ModuleStart<Pin>:
            root.pins[session][try there(instance)] = Pin().begin(action.start)
        case is ModuleStop<Pin>:
            let id = try there(instance)
            _ = try there(root.pins[session][id])
            root.pins[session][id] = nil
        case let action as Pin.Action:
            let id = try there(instance)
            var pin = try there(root.pins[session][id])
            Pin().reduce(&pin, action, in: context)
            root.pins[session][id] = pin
        case let action as Pin.UI:
            let id = try there(instance)
            var pin = try there(root.pins[session][id])
            Pin().reduce(&pin, ui: action, in: context)
            root.pins[session][id] = pin
        case let action as Purse.Action:
            let owner = StateText.owner(as: principal?.name, in: session)
            try root.purse.change(owner) { _ = try Purse().reduce(&$0, action, in: context) }
            if case .lent(_, let seconds) = action {
                lend(&root, as: owner, at: version, time + Int64(seconds) * 1_000_000_000)
            }
        case let action as Purse.Internal:
            let owner = StateText.owner(as: principal?.name, in: session)
            root.purse.change(owner) { _ = Purse().reduce(&$0, internal: action, in: context) }
        case is Users.Internal: break
        case let action as Gong.Action: ring(&root, action, at: version, time)
        case let action as Gong.Internal: _ = Gong().reduce(&root.gong, internal: action)
        case let action as Schedule.Internal: try pass(&root, action, at: time)
        case let action as Sessions.Internal:
            _ = Sessions().reduce(&root.sessions, internal: action)
        case let action as Tidied: try tidy(&root, action, of: session)
        case let action as ModuleStart<Bench>:
            try absent(root.bench)
            root.bench = Bench().begin(action.start)
        case is ModuleStop<Bench>:
            _ = try there(root.bench)
            root.bench = nil
        case let action as ModuleStart<Stool>:
            try absent(root.stools[session])
            root.stools[session] = Stool().begin(action.start)
        default: throw Refusal(reason: "There is no such action.")
        }
        if case .kept(let note, let seconds, let onRestart)? = action as? Jobs.Action,
            onRestart != .lost
        {
            let count = root.jobs.count
            let work = Jobs.Work.kept(note: note, seconds: seconds, count: count)
            root.effects.insert(
                PendingEffects.Entry(
                    version: version,
                    slice: "jobs",
                    onRestart: onRestart,
                    work: onRestart == .retried ? try kept(work) : nil
                )
            )
        }
    }

    /// Returns the values that a start needs to run the work again.
    private static func kept(_ work: Jobs.Work) throws -> KeptWork {
        KeptWork(input: String(decoding: try JSONEncoder().encode(work), as: UTF8.self))
    }

    /// Puts `count` things into a bin; `nil` empties it.
    private static func fill(_ root: inout Workshop, _ id: String?, by count: Int?) throws {
        let id = try there(id)
        var bin = try there(root.bins[id])
        bin.count = count.map { bin.count + $0 } ?? 0
        root.bins[id] = bin
    }

    /// Removes a bin, and the views that show it.
    private static func endBin(_ id: String, _ root: inout Workshop) {
        root.bins[id] = nil
        for session in root.presence.sessions { hide("bins/" + id, from: session, &root) }
    }

    /// Removes a view. A session that has ended loses its empty list, too.
    private static func hide(_ slice: String, from session: String, _ root: inout Workshop) {
        let isOver = session != Sessions.shared && root.sessions[session] == nil
        root.presence.remove(slice, in: session, hasSessionEnded: isOver)
    }

    /// Applies an action of the whole state, slice by slice.
    private static func tidy(_ root: inout Workshop, _ action: Tidied, of session: String) throws {
        let isOpen = session == Sessions.shared || root.sessions[session] != nil
        switch action.how {
        case .strayed, .refused: throw Refusal(reason: "It is not done.")
        case .posted:
            root.sign = action.text
            root.shelf.label = action.text
            root.tint.change(session) { $0 = action.note }
            root.draft.change(session) { $0.text = Draft.State.blank }
        case .cleared:
            root.plate = nil
            endBin(action.bin, &root)
            root.pins.change(session) { $0 = Instances() }
            root.tint.change(session) { $0 = Tidied.grey }
        }
        let isLeft = root.tint.sessions + root.draft.sessions + root.pins.sessions
        if !isOpen, isLeft.contains(session) { throw Refusal(reason: "The session has ended.") }
    }

    static func share(_ root: inout Workshop) {
        root.plate?.label.value = root.shelf.label
        root.desk.title.value = root.plate?.title
        let (label, drafts) = (root.shelf.label, root.draft)
        if drafts[StateText.nobody].label.value.map({ Bytewise($0) }) != Bytewise(label) {
            root.draft.changeAll { draft, _ in draft.label.value = label }
        }
        for session in root.pins.sessions {
            for id in root.pins[session].ids {
                root.pins[session][id]?.draft.value = drafts[session].text
            }
        }
    }

    static func owner(of action: any Action) -> Owner {
        switch action {
        case is Draft.Action, is Draft.Internal, is ModuleStart<Pin>, is ModuleStop<Pin>,
            is Pin.Action, is Pin.UI, is ModuleStart<Stool>, is ModuleStop<Stool>:
            .session
        case is Purse.Action, is Purse.Internal, is Users.Internal: .user
        case is Sessions.Internal, is ClientRequest: .nobody
        default: .everybody
        }
    }

    /// Sets and removes timers.
    private static func ring(
        _ root: inout Workshop,
        _ action: Gong.Action,
        at version: UInt64,
        _ time: Int64
    ) {
        func set(_ id: String, _ seconds: Int, each: Bool, _ missed: MissedTimer, _ text: String) {
            let nanoseconds = Int64(seconds) * 1_000_000_000
            root.schedule.set(
                Schedule.Entry(
                    slice: "gong",
                    id: id,
                    due: time + nanoseconds,
                    interval: each ? nanoseconds : nil,
                    missed: missed,
                    version: version,
                    kind: "internal",
                    action: text
                ),
                "gong/" + id
            )
        }
        switch action {
        case .set(let note, let id, let seconds):
            let text = JSONText.object([
                ("rang", JSONText.object([("note", JSONText.string(note))]))
            ])
            set(id, seconds, each: false, .once, text)
        case .repeated(_, let id, let seconds, let missed):
            set(id, seconds, each: true, missed, JSONText.object([("ticked", "{}")]))
        case .silenced(let id): root.schedule.remove("gong/" + id)
        }
    }

    /// Sets the timer of a user's purse.
    private static func lend(
        _ root: inout Workshop,
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

    /// Removes a timer that was due, or sets its next time.
    private static func pass(
        _ root: inout Workshop,
        _ action: Schedule.Internal,
        at time: Int64
    ) throws {
        let (name, due, isSkipped): (String, Int64, Bool)
        switch action {
        case .fired(let timer, let moment): (name, due, isSkipped) = (timer, moment, false)
        case .skipped(let timer, let moment): (name, due, isSkipped) = (timer, moment, true)
        case .cancelled, .declared: throw Refusal(reason: "It is not done.")
        }
        let entry = try there(root.schedule[name])
        guard entry.due == due else { throw Refusal(reason: "It is not due.") }
        guard let interval = entry.interval else { return root.schedule.remove(name) }
        var next = due + interval
        if isSkipped || entry.missed != .each {
            while next <= time { next += interval }
        }
        root.schedule.set(
            Schedule.Entry(
                slice: entry.slice,
                id: entry.id,
                due: next,
                interval: interval,
                missed: entry.missed,
                version: entry.version,
                kind: "internal",
                action: entry.action
            ),
            name
        )
    }

    static func join(_ visitor: String, _ user: String, _ root: inout Workshop) {
        guard root.purse.owners.contains(visitor) else { return }
        let coins = root.purse[visitor].coins
        root.purse.change(user) { $0.coins += coins }
    }

    static func end(_ session: String, _ root: inout Workshop) {
        root.purse.end(session)
        for owner in [session, "~" + session] { root.schedule.remove(owner + " purse/loan") }
        root.draft.end(session)
        root.pins.end(session)
        root.tint.end(session)
        root.stools.end(session)
        root.presence.remove("", in: session, hasSessionEnded: true)
    }

    private static func absent<Value>(_ value: Value?) throws {
        if value != nil { throw Refusal(reason: "It is there already.") }
    }

    private static func there<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Refusal(reason: "It is not there.") }
        return value
    }
}
