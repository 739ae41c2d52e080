import StoreCore
import StorePatterns
import StorePlatform
import StoreServer

/// The store of the simulator's own.
enum WorkshopProgram: Program {
    struct Bell: Codable, Sendable {
        let note: String
    }

    static func server(_ recorder: Recorder, isIntercepted: Bool) -> Server<Workshop> {
        let server = ShippedEdition.current.migrating(Server(Workshop.self))
        return reacting(isIntercepted ? intercepting(server, recorder) : server, recorder)
    }

    private static func intercepting(
        _ server: Server<Workshop>,
        _ recorder: Recorder
    ) -> Server<Workshop> {
        server
            .interceptor { _, action, _ in
                guard case Shelf.Action.intercepted? = action as? Shelf.Action else {
                    return .proceed
                }
                let made = try intercepted(action)
                if case Shelf.Action.intercepted(_, "replace")? = action as? Shelf.Action {
                    return .replace(with: made[0])
                }
                return made.count > 2
                    ? .follow(with: made[1], made[2])
                    : made.count > 1 ? .follow(with: made[1]) : .proceed
            }
            .interceptor { _, action, envelope in
                guard action is Shelf.Action else { return .proceed }
                return .proceed {
                    recorder.hook(envelope.version, recorder.texts.slices(of: $0).whole)
                }
            }
    }

    private static func reacting(
        _ server: Server<Workshop>,
        _ recorder: Recorder
    ) -> Server<Workshop> {
        server
            .reactions(
                .onStart { Desk.Internal.told(note: "#start") },
                .onStateChange { old, new in
                    let count = recorder.call("state", old, new)
                    guard Bytewise(old.shelf.label) != Bytewise(new.shelf.label) else { return nil }
                    return Desk.Internal.told(note: "#state\(count)")
                },
                .onDispatch(of: Shelf.Action.self) { action, old, new in
                    let count = recorder.call("shelves", old, new)
                    guard case .stamped = action else { return nil }
                    return Desk.Internal.told(note: "#shelves\(count)")
                },
                .onNotification("bell", as: Bell.self) { Desk.Internal.told(note: $0.note) }
            )
    }

    static func intercepted(_ action: any Action) throws -> [any Action] {
        guard case .intercepted(let note, let how)? = action as? Shelf.Action else {
            return [action]
        }
        switch how {
        case "block": throw Refusal.forbidden("The shelf is blocked.")
        case "break": throw Shelf.Broken()
        case "replace": return [Shelf.Action.stamped(note: note)]
        case "follow":
            return [
                action, Desk.Action.asked(note: note + ">f1"), Safe.Action.closed,
            ]
        case "follow in vain": return [action, Shelf.Action.refused(note: note + ">f1")]
        default: return [action]
        }
    }

    static func fired(_ entry: Schedule.Entry) throws -> FiredTimer { try FiredTimer(entry) }

    static var hasEditions: Bool { true }

    static func isHooked(_ action: any Action) -> Bool { action is Shelf.Action }

    static func isReplaced(by action: any Action, _ sent: Sent) -> Bool {
        guard case .stamped? = action as? Shelf.Action else { return false }
        return sent.type != "shelf/stamped"
    }

    static func visibility(of action: any Action) -> ViewVisibility? {
        switch action {
        case let action as Desk.UI: action == .appeared ? .visible : .hidden
        case let action as Bin.UI: action == .appeared ? .visible : .hidden
        default: nil
        }
    }

    static func isThere(_ slice: String, _ root: Workshop) -> Bool {
        slice == "desk" || root.bins.ids.contains { Bytewise("bins/" + $0) == Bytewise(slice) }
    }

    static func views(saying action: any Action, _ instance: String?) -> [String] {
        switch action {
        case is Plate.UI: ["plate"]
        case is Pin.UI: ["pins"] + (instance.map { ["pins/" + $0] } ?? [])
        default: []
        }
    }

    static func note(of action: any Action) -> String? {
        switch action {
        case let action as Shelf.Action:
            switch action {
            case .labelled(let note, _), .weighed(let note, _), .counted(let note, _),
                .stamped(let note), .refused(let note), .broken(let note), .sauté(let note),
                .filed(let note, _),
                .intercepted(let note, _):
                return note
            case .reset: return nil
            }
        case let action as ModuleStart<Plate>: return action.start.note
        case let action as ModuleStart<Bin>: return action.start.note
        case let action as Plate.Internal:
            switch action {
            case .warmed(let note): return note
            }
        case let action as Bin.Action:
            if case .shaken(let note, _) = action { return note }
            return nil
        case let action as Bin.Internal:
            switch action {
            case .settled(let note): return note
            }
        case let action as Desk.Action:
            switch action {
            case .asked(let note): return note
            }
        case let action as Desk.Internal:
            switch action {
            case .told(let note): return note
            }
        case let action as Plate.Action:
            switch action {
            case .renamed(let note, _), .labelled(let note): return note
            }
        case let action as Safe.Action:
            if case .opened(let note, _) = action { return note }
            return nil
        case let action as Draft.Action:
            switch action {
            case .typed(let note, _), .saved(let note, _), .refused(let note), .noted(let note):
                return note
            case .discarded: return nil
            }
        case let action as Draft.Internal:
            switch action {
            case .settled(let note): return note
            }
        case let action as Gong.Action:
            switch action {
            case .set(let note, _, _), .repeated(let note, _, _, _): return note
            case .silenced: return nil
            }
        case let action as Purse.Action:
            switch action {
            case .earned(let note, _), .spent(let note, _), .counted(let note), .lent(let note, _):
                return note
            }
        case let action as ModuleStart<Pin>: return action.start.note
        case let action as Pin.Action:
            switch action {
            case .turned(let note), .texted(let note, _), .filled(let note): return note
            }
        case let action as Tidied: return action.note
        case let action as Pin.UI:
            switch action {
            case .pinched(let note): return note
            }
        case let action as Unlock: return action.note
        case let action as Multiply: return action.note
        case let action as Jobs.Action:
            switch action {
            case .ran(let note, _, _, _), .merged(let note, _), .queued(let note, _),
                .tried(let note, _), .kept(let note, _, _), .confided(let note),
                .chained(let note, _):
                return note
            case .cancelled: return nil
            }
        case let action as Jobs.Internal:
            switch action {
            case .done(let note), .failed(let note): return note
            case .interrupted: return nil
            }
        default: return nil
        }
    }
}
