import DefaultStore
import StoreCore
import StoreJSON

extension ShopProgram {
    static func ask(_ asker: inout Asker, _ root: AppState) -> Request {
        if asker.chance.happens(1, in: 30) {
            let name = asker.chance.pick(["demo", "d\u{E9}mo"])
            let body = JSONText.object([
                ("userName", JSONText.string(name)), ("password", "\"demo\""),
            ])
            return .work(path: "/usecases/login/login", body: body, note: nil)
        }
        if asker.chance.happens(1, in: 6) {
            let title = "Movie \(asker.chance.below(12))"
            let payload = JSONText.object([("title", JSONText.string(title))])
            return .dispatch(
                Request.Dispatch(
                    path: "/modules/home/ui",
                    members: [Sent("home/didTapOnMovieCell", payload)]
                )
            )
        }
        let isArray = asker.chance.happens(1, in: 4)
        let count = isArray ? 1 + asker.chance.below(4) : 1
        var dispatch = Request.Dispatch(members: (0..<count).map { _ in sent(&asker, root) })
        dispatch.isArray = isArray
        dispatch.isDryRun = asker.chance.happens(1, in: 8)
        if asker.chance.happens(1, in: 8) { dispatch.key = "k\(asker.chance.below(12))" }
        if asker.chance.happens(1, in: 8) {
            dispatch.condition = asker.chance.pick([.newest, .newest, .older, .later, .any])
        }
        if asker.chance.happens(1, in: 8) {
            dispatch.prefers = asker.chance.pick(["return=representation", "wait=5", "wait=0"])
        }
        return .dispatch(dispatch)
    }

    private static func sent(_ asker: inout Asker, _ root: AppState) -> Sent {
        let text = JSONText.string(asker.text())
        let index = "\(asker.chance.below(root.todos.items.count + 2))"
        let others = asker.chance.below(4)
        switch asker.chance.below(26) {
        case 0, 1: return Sent("CounterIncreaseRequested")
        case 2: return Sent("CounterDecreaseRequested", "{}")
        case 3:
            let step = asker.chance.pick([1, 7, -3, Int.max / 2])
            return Sent("StepChangeRequested", "{\"step\":\(step)}")
        case 4...6: return Sent("AddItem", "{\"text\":\(text)}")
        case 7...9: return Sent("EditItem", "{\"index\":\(index),\"text\":\(text)}")
        case 10: return Sent("CompleteItem", "{\"index\":\(index)}")
        case 11: return Sent("ReopenItem", "{\"index\":\(index)}")
        case 12, 13: return Sent("DeleteItem", "{\"index\":\(index)}")
        case 14: return Sent("ArchiveCompleted")
        case 15: return Sent("UnarchiveItem", "{\"index\":\(others)}")
        case 16: return Sent("ClearArchive")
        case 17, 18: return Sent(asker.chance.pick(["home/start", "home/start", "home/stop"]))
        case 19...21:
            return Sent("movieCard/start", "{\"title\":\(JSONText.string(asker.ownText()))}")
        case 22: return Sent("movieCard/stop")
        case 23: return Sent("movieCard/wanted", "{\"isWanted\":\(others > 1)}")
        case 24:
            let other = asker.chance.pick(["login/loggedOut", "user/edited", "ScreenShown"])
            let own = JSONText.string(asker.ownText())
            switch other {
            case "login/loggedOut": return Sent(other)
            case "user/edited": return Sent(other, "{\"displayName\":\(own)}")
            default: return Sent(other, "{\"name\":\(own)}")
            }
        default:
            return asker.chance.pick([
                Sent("user/start", "{\"profile\":{}}", isInvalid: true),
                Sent("AddIt\u{E9}m", isInvalid: true),
                Sent("EditItem", "{\"index\":\"0\",\"text\":\"\"}", isInvalid: true),
            ])
        }
    }

    static let pointers = [
        ["todos", "items", "0", "text"], ["movieCard"], ["sessions", "shared", "route"],
        ["home", "selectedMovie"], ["user", "profile"], ["counter"], ["movieCard", "title"],
        ["login", "progress"],
    ]

    /// Returns the view of a session's greeting and a part of the list.
    static func view(_ chance: inout Chance, isStream: Bool) -> StreamTarget? {
        let end = isStream ? "/events" : ""
        guard chance.happens(2, in: 3) else {
            return StreamTarget(path: "/views/items" + end) { text in
                guard let items = text.part(at: ["todos", "items"]) else { return .absent }
                return .json(Bytewise("{\"items\":\(items.text)}"))
            }
        }
        return StreamTarget(path: "/views/greeting" + end) { text in
            guard let name = text.part(at: ["user", "profile", "displayName"]) else {
                return .absent
            }
            return .json(Bytewise("{\"text\":\"Hello " + name.text.dropFirst() + "}"))
        }
    }

    static func streams(_ chance: inout Chance) -> StreamTarget {
        let names = AppState.modules.map(\.name)
        let patch = chance.happens(1, in: 2) ? "?mode=patch" : ""
        if chance.happens(1, in: 6), let view = view(&chance, isStream: true) { return view }
        switch chance.below(3) {
        case 0: return StreamTarget(path: "/events" + patch, part: { .json($0.whole) })
        case 1:
            let module = chance.below(names.count)
            let path = "/modules/\(names[module])/events" + patch
            return StreamTarget(path: path) { .slice($0.slices[module]) }
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
