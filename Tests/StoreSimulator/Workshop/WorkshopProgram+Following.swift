import StoreCore
import StorePatterns

extension WorkshopProgram {
    private enum Place {
        static let shelf = 0, plate = 1, desk = 3, sessions = 7, draft = 8, pins = 9
    }

    static func follows(_ applied: Applied<Workshop>, _ calls: inout Calls) {
        let (old, new) = (applied.old, applied.new)
        if applied.changed(Place.shelf) {
            if applied.calls("ShelfPresenter") { shelf(applied, &calls) }
            if applied.calls("ShelfWatcher") { watcher(applied, &calls) }
        }
        plate(applied, &calls)
        if applied.changed(Place.desk), applied.calls("DeskPresenter") {
            _ = calls.call("desk", old[Place.desk], new[Place.desk])
        }
        if applied.changed(Place.sessions), applied.calls("SessionsPresenter") {
            _ = calls.call("sessions", old[Place.sessions], new[Place.sessions])
        }
        if applied.changed(Place.draft), applied.calls("DraftPresenter") { draft(applied, &calls) }
        if applied.changed(Place.pins), applied.calls("PinPresenter") { pins(applied, &calls) }
        whole(applied, &calls)
        pinAgain(applied, &calls)
        if old != new {
            let count = calls.call("state", applied.wholeOld, applied.wholeNew)
            if Bytewise(applied.before.shelf.label) != Bytewise(applied.after.shelf.label) {
                calls.dispatch(Desk.Internal.told(note: "#state\(count)"))
            }
        }
        if let action = applied.action as? Shelf.Action {
            let count = calls.call("shelves", applied.wholeOld, applied.wholeNew)
            if case .stamped = action {
                calls.dispatch(Desk.Internal.told(note: "#shelves\(count)"))
            }
        }
    }

    private static func whole(_ applied: Applied<Workshop>, _ calls: inout Calls) {
        guard applied.old != applied.new, applied.calls("WorkshopPresenter") else { return }
        let (before, after) = (applied.before, applied.after)
        let count = calls.call(
            "workshop@" + applied.author + "/",
            Bytewise(json: WorkshopPresenter.Seen(before, as: applied.author)),
            Bytewise(json: WorkshopPresenter.Seen(after, as: applied.author))
        )
        guard Bytewise(before.sign) != Bytewise(after.sign) else { return }
        calls.dispatch(
            Desk.Internal.told(note: "#sign\(count)"),
            for: Audience(.allExcludingEmitter, emitter: "WorkshopPresenter"),
            from: applied.author
        )
    }

    private static func draft(_ applied: Applied<Workshop>, _ calls: inout Calls) {
        for (session, old, new) in applied.changedSessions(\.draft) {
            let count = calls.call(
                "draft@" + session + "/",
                Bytewise(json: old),
                Bytewise(json: new)
            )
            guard old.saves != new.saves else { continue }
            calls.dispatch(Desk.Action.asked(note: "#draft\(count)"), from: session)
        }
    }

    private static func pins(_ applied: Applied<Workshop>, _ calls: inout Calls) {
        for (session, before, after) in applied.changedSessions(\.pins) {
            for id in after.ids + before.ids.filter({ after[$0] == nil }) {
                let (old, new) = (Bytewise(json: before[id]), Bytewise(json: after[id]))
                if old != new { pin(session, id, before[id], after[id], &calls) }
            }
        }
    }

    /// Predicts the call for a session that starts a pin again, and does not show it. The pin is
    /// presented like a new pin.
    private static func pinAgain(_ applied: Applied<Workshop>, _ calls: inout Calls) {
        let session = applied.author
        guard applied.action is ModuleStart<Pin>, let id = applied.instance,
            applied.before.pins[session][id] != nil,
            !isPinShown(id, in: applied.before.sessions[session])
        else { return }
        pin(session, id, nil, applied.after.pins[session][id], &calls)
    }

    private static func isPinShown(_ id: String, in session: Sessions.Session?) -> Bool {
        session?.shows("pins") == true || session?.shows("pins/" + id) == true
    }

    private static func pin(
        _ session: String,
        _ id: String,
        _ old: Pin.State?,
        _ new: Pin.State?,
        _ calls: inout Calls,
        isShown: Bool = false
    ) {
        let audience = Audience(.allExcludingEmitter, emitter: "PinPresenter")
        let part = "pin@" + session + "/" + id
        let count = calls.call(part, Bytewise(json: old), Bytewise(json: new))
        if old == nil, new != nil, !isShown {
            let presented = Sessions.Internal.presented(
                view: "pins/" + id,
                style: .modal,
                sessions: [session]
            )
            calls.dispatch(presented, from: session)
        }
        if old != nil, new == nil {
            let withdrawn = Sessions.Internal.withdrawn(view: "pins/" + id, sessions: [session])
            calls.dispatch(withdrawn, from: session)
            let noted = Draft.Action.noted(note: "#unpinned\(count)")
            calls.dispatch(noted, for: audience, from: session)
        }
        guard let old, let new, old.turns != new.turns else { return }
        calls.dispatch(Draft.Action.noted(note: "#pin\(count)"), for: audience, from: session)
        calls.dispatch(
            Draft.Internal.settled(note: "#foreign\(count)"),
            for: audience,
            from: session,
            isForeign: true
        )
    }

    private static func shelf(_ applied: Applied<Workshop>, _ calls: inout Calls) {
        let count = calls.call("shelf", applied.old[Place.shelf], applied.new[Place.shelf])
        guard applied.before.shelf.grams.bitPattern != applied.after.shelf.grams.bitPattern
        else { return }
        calls.dispatch(Desk.Action.asked(note: "#shelf\(count)"))
    }

    private static func watcher(_ applied: Applied<Workshop>, _ calls: inout Calls) {
        let count = calls.call("watcher", applied.old[Place.shelf], applied.new[Place.shelf])
        let (old, new) = (applied.before.shelf.label, applied.after.shelf.label)
        guard Bytewise(old) != Bytewise(new) else { return }
        calls.dispatch(
            Shelf.Action.stamped(note: "#watcher\(count)"),
            for: Audience(.allExcludingEmitter, emitter: "ShelfWatcher")
        )
    }

    private static func plate(_ applied: Applied<Workshop>, _ calls: inout Calls) {
        let (old, new) = (applied.before.plate, applied.after.plate)
        if applied.changed(Place.plate), applied.calls("PlatePresenter") {
            let count = calls.call("plate", applied.old[Place.plate], applied.new[Place.plate])
            if old == nil, new != nil { present(to: applied.author, &calls) }
            if old != nil, new == nil {
                calls.dispatch(Sessions.Internal.withdrawn(view: "plate"))
            }
            if let old, let new, old.taps != new.taps {
                calls.dispatch(
                    Desk.Action.asked(note: "#plate\(count)"),
                    for: Audience(.allExcludingEmitter, emitter: "PlatePresenter")
                )
            }
        }
        // A session may start a plate that is started already. If the session does not show the
        // plate, the plate is presented like a new plate.
        guard applied.action is ModuleStart<Plate>, old != nil,
            applied.before.sessions[applied.author]?.shows("plate") != true
        else { return }
        _ = calls.call("plate", Bytewise("-"), applied.new[Place.plate])
        present(to: applied.author, &calls)
    }

    private static func present(to session: String, _ calls: inout Calls) {
        let presented = Sessions.Internal.presented(
            view: "plate",
            style: .push,
            sessions: [session]
        )
        calls.dispatch(presented, from: session)
    }

    static func begins(_ root: Workshop, _ calls: inout Calls) {
        let none = Bytewise("-")
        _ = calls.call("shelf", none, Bytewise(json: root.shelf))
        _ = calls.call("watcher", none, Bytewise(json: root.shelf))
        _ = calls.call("plate", none, Bytewise(json: root.plate))
        _ = calls.call("desk", none, Bytewise(json: root.desk))
        _ = calls.call("sessions", none, Bytewise(json: root.sessions))
        let isSeen = root.sessions.sessions.values.contains { $0.shows("plate") }
        if root.plate != nil, !isSeen { present(to: Sessions.shared, &calls) }
        for session in root.draft.known {
            let draft = Bytewise(json: root.draft[session])
            _ = calls.call("draft@" + session + "/", none, draft)
        }
        beginPins(root, &calls)
        let seen = WorkshopPresenter.Seen(root, as: Sessions.shared)
        _ = calls.call("workshop@/", none, Bytewise(json: seen))
        calls.dispatch(Desk.Internal.told(note: "#start"))
        for entry in root.effects.pending where entry.onRestart == .reported {
            calls.dispatch(Jobs.Internal.interrupted(version: entry.version))
            calls.dispatch(PendingEffects.Internal.ended(version: entry.version))
        }
    }

    private static func beginPins(_ root: Workshop, _ calls: inout Calls) {
        var isCalled = false
        for session in root.pins.sessions {
            for id in root.pins[session].ids {
                let isShown = isPinShown(id, in: root.sessions[session])
                pin(session, id, nil, root.pins[session][id], &calls, isShown: isShown)
                isCalled = true
            }
        }
        // Without any pin, the presenter is called once all the same.
        if !isCalled { _ = calls.call("pin@/", Bytewise("-"), Bytewise("-")) }
    }

    static func effects(_ applied: Applied<Workshop>, _ works: inout Works) {
        let (session, version) = (applied.session, applied.version)
        func begin(_ note: String, _ id: String?, as names: [String], or others: [String] = []) {
            works.begin(
                note,
                id: id,
                of: "jobs",
                nil,
                session,
                version,
                as: names,
                possibly: others
            )
        }
        func cut(_ module: String, _ id: String?, _ instance: String? = nil) {
            works.cut { work in
                work.module == module && work.instance == instance.map { Bytewise($0) }
                    && (id == nil || work.id == id.map { Bytewise($0) })
            }
        }
        switch applied.action {
        case let action as Jobs.Action:
            switch action {
            case .ran(let note, let id, _, let replaces):
                if replaces { cut("jobs", id) }
                begin(note, id, as: [note])
            case .merged(let note, _): begin(note, nil, as: [note + "/1", note + "/2"])
            case .queued(let note, _):
                begin(note, nil, as: [note + "/1"], or: [note + "/2"])
            case .cancelled(let id): cut("jobs", id)
            case .tried(let note, _): begin(note, nil, as: [note], or: [note])
            case .kept(let note, _, _):
                begin(note, nil, as: [note + "/\(applied.before.jobs.count + 1)"])
            case .confided(let note), .chained(let note, _): begin(note, nil, as: [note])
            }
        case let action as Multiply: begin(action.note, nil, as: [action.note])
        case let action as ModuleStart<Plate>:
            cut("plate", nil)
            guard action.start.seconds > 0 else { break }
            let note = action.start.note
            works.begin(note, of: "plate", nil, session, version, as: [note])
        case let action as Tidied:
            guard action.how == .cleared else { break }
            if applied.before.plate != nil { cut("plate", nil) }
            if applied.before.bins[action.bin] != nil { cut("bins", nil, action.bin) }
        case is ModuleStop<Plate>: cut("plate", nil)
        case is ModuleStart<Bin>, is ModuleStop<Bin>: cut("bins", nil, applied.instance)
        case let action as Bin.Action:
            switch action {
            case .shaken(let note, _):
                works.begin(
                    note,
                    id: "shake",
                    of: "bins",
                    applied.instance,
                    session,
                    version,
                    as: [note]
                )
            case .stilled: cut("bins", "shake", applied.instance)
            case .put, .texted: break
            }
        case let action as Draft.Action:
            // Each session's draft has an effect of its own.
            let cutSave = { (works: inout Works) in
                works.cut { work in
                    work.module == "draft" && (work.session ?? Sessions.shared) == applied.author
                }
            }
            switch action {
            case .saved(let note, _):
                cutSave(&works)
                works.begin(note, id: "save", of: "draft", nil, session, version, as: [note])
            case .discarded: cutSave(&works)
            case .typed, .refused, .noted: break
            }
        case let action as Sessions.Internal:
            guard case .ended(let session) = action else { break }
            works.cut { $0.session == session }
        case Users.Internal.forgotten(let principal): works.cut { $0.principal == principal }
        default: break
        }
    }
}
