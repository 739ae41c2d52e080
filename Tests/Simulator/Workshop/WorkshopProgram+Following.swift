import StoreCore
import StorePatterns

extension WorkshopProgram {
    private enum Place {
        static let shelf = 0, plate = 1, desk = 3, sessions = 7
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

    private static func shelf(_ applied: Applied<Workshop>, _ calls: inout Calls) {
        let count = calls.call("shelf", applied.old[Place.shelf], applied.new[Place.shelf])
        guard applied.before.shelf.grams.bitPattern != applied.after.shelf.grams.bitPattern
        else { return }
        calls.dispatch(Desk.Internal.told(note: "#shelf\(count)"))
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
            if old == nil, new != nil { present(to: applied.authors, &calls) }
            if old != nil, new == nil {
                calls.dispatch(Sessions.Internal.withdrawn(view: "plate"))
            }
            if let old, let new, old.taps != new.taps {
                calls.dispatch(
                    Desk.Internal.told(note: "#plate\(count)"),
                    for: Audience(.allExcludingEmitter, emitter: "PlatePresenter")
                )
            }
        }
        // A session that starts a plate which is started already, and does not see it, is shown it
        // as if it had just been started.
        guard applied.action is ModuleStart<Plate>, old != nil else { return }
        let unseen = applied.authors.filter { name in
            applied.before.sessions[name]?.shows("plate") != true
        }
        guard !unseen.isEmpty else { return }
        _ = calls.call("plate", Bytewise("-"), applied.new[Place.plate])
        present(to: unseen, &calls)
    }

    private static func present(to sessions: [String], _ calls: inout Calls) {
        calls.dispatch(
            Sessions.Internal.presented(view: "plate", style: .push, sessions: sessions)
        )
    }

    static func begins(_ root: Workshop, _ calls: inout Calls) {
        let none = Bytewise("-")
        _ = calls.call("shelf", none, Bytewise(json: root.shelf))
        _ = calls.call("watcher", none, Bytewise(json: root.shelf))
        _ = calls.call("plate", none, Bytewise(json: root.plate))
        _ = calls.call("desk", none, Bytewise(json: root.desk))
        _ = calls.call("sessions", none, Bytewise(json: root.sessions))
        let isSeen = root.sessions.sessions.values.contains { $0.shows("plate") }
        if root.plate != nil, !isSeen { present(to: [Sessions.shared], &calls) }
        calls.dispatch(Desk.Internal.told(note: "#start"))
        for entry in root.effects.pending where entry.onRestart == .reported {
            calls.dispatch(Jobs.Internal.interrupted(version: entry.version))
            calls.dispatch(PendingEffects.Internal.ended(version: entry.version))
        }
    }

    static func effects(_ applied: Applied<Workshop>, _ works: inout Works) {
        let (sessions, version) = (applied.sessions, applied.version)
        func begin(_ note: String, _ id: String?, as names: [String], or others: [String] = []) {
            works.begin(
                note,
                id: id,
                of: "jobs",
                nil,
                sessions,
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
            case .kept(let note, _, _), .confided(let note), .chained(let note, _):
                begin(note, nil, as: [note])
            }
        case let action as Multiply: begin(action.note, nil, as: [action.note])
        case let action as ModuleStart<Plate>:
            cut("plate", nil)
            guard action.start.seconds > 0 else { break }
            let note = action.start.note
            works.begin(note, of: "plate", nil, sessions, version, as: [note])
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
                    sessions,
                    version,
                    as: [note]
                )
            case .stilled: cut("bins", "shake", applied.instance)
            case .put, .texted: break
            }
        case let action as Sessions.Internal:
            guard case .ended(let session) = action else { break }
            works.cut { $0.sessions == [session] }
        default: break
        }
    }
}
