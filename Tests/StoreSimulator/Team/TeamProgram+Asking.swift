import StoreCore
import StoreJSON
import StorePatterns

extension TeamProgram {
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
        // The answer of a side effect may come after its sender was removed.
        let isPeek = dispatch.members.contains { $0.type.hasSuffix("/Peeked") }
        if asker.chance.happens(isPeek ? 7 : 1, in: 8) {
            dispatch.prefers = asker.chance.pick(["return=representation", "wait=5", "wait=0"])
        }
        return .dispatch(dispatch)
    }

    private static let ids = ["a", "b", "e\u{301}", "\u{E9}", "c d"]
    private static let rows = ["a", "late", "\u{E9}", "e\u{301}", "", "z/~"]

    private static func sent(_ asker: inout Asker, _ root: Team) -> Sent {
        let id = asker.chance.pick(ids)
        let text = JSONText.string(asker.text())
        let personal = JSONText.string(Words.personal + asker.text())
        let member = JSONText.string(asker.chance.pick(members))
        func den(_ name: String, _ fields: (String, String)...) -> Sent {
            Sent("den/\(id)/\(name)", JSONText.object(fields))
        }
        func seconds() -> String { "\(asker.chance.pick([0, 1, 2, 5, 30, 90]))" }
        switch asker.chance.below(40) {
        case 0...5:
            let isOpen = asker.chance.happens(1, in: 4)
            return den("start", ("title", text), ("isOpen", "\(isOpen)"))
        case 6: return Sent("den/\(id)/stop")
        case 7...9: return den("noted", ("text", personal))
        case 10, 11: return den("titled", ("title", text))
        case 12...15: return den("invited", ("member", member))
        case 16...18: return den("removed", ("member", member))
        case 19: return den("lent", ("role", asker.chance.happens(1, in: 2) ? "\"\"" : member))
        case 20: return den("opened", ("isOpen", "\(asker.chance.happens(1, in: 2))"))
        case 21: return den("planned", ("text", text), ("seconds", seconds()))
        case 22: return den("looked", ("text", text))
        case 23:
            return Sent("bulletin/start", JSONText.object([("text", personal), ("role", member)]))
        case 24: return Sent("bulletin/stop")
        case 25, 26:
            return Sent(
                "bulletin/changed",
                JSONText.object([("text", personal), ("role", member)])
            )
        case 27...29:
            let isRemoved = asker.chance.happens(1, in: 3)
            let row = JSONText.string(asker.chance.pick(rows))
            return den("carded", ("id", row), ("text", isRemoved ? "null" : personal))
        case 30, 31:
            let note = JSONText.string(asker.note())
            return den("postponed", ("note", note), ("text", text), ("seconds", seconds()))
        case 32...34:
            let note = JSONText.string(asker.note())
            let isRefused = "\(asker.chance.happens(1, in: 3))"
            return den("Peeked", ("note", note), ("seconds", seconds()), ("isRefused", isRefused))
        case 35, 36: return purse(&asker)
        case 37: return Sent("Swept", JSONText.object([("member", member)]))
        default: return Sent("tally/counted", "{\"by\":\(asker.chance.below(3))}")
        }
    }

    private static func purse(_ asker: inout Asker) -> Sent {
        let note = ("note", JSONText.string(asker.note()))
        let coins = ("coins", "\(asker.chance.below(9))")
        switch asker.chance.below(4) {
        case 0, 1: return Sent("purse/earned", JSONText.object([note, coins]))
        case 2: return Sent("purse/spent", JSONText.object([note, coins]))
        default:
            let seconds = ("seconds", "\(asker.chance.below(90))")
            return Sent("purse/lent", JSONText.object([note, seconds]))
        }
    }

    static let pointers = [
        ["den"], ["den", "a"], ["den", "b", "notes", "0"], ["den", "\u{E9}", "title"],
        ["den", "a", "cards"], ["den", "b", "cards", "late"],
        ["den", "e\u{301}"], ["bulletin"], ["bulletin", "text"], ["tally", "count"],
        ["purse", "coins"],
        ["schedule"], ["sessions", "shared", "route"],
    ]

    static func shownPart(of sent: Sent) -> [String]? {
        let parts = sent.type.split(separator: "/").map(String.init)
        return parts.last == "Peeked" ? Array(parts.prefix(2)) : nil
    }

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
            let window = chance.happens(1, in: 3) ? Window.some(&chance) : nil
            let pointer = JSONPointer(tokens: tokens).description
            let query = [window?.query, patch.isEmpty ? nil : "mode=patch"].compactMap { $0 }
            let path = "/events?path=" + StreamTarget.escaped(pointer)
            return StreamTarget(path: ([path] + query).joined(separator: "&")) { text in
                guard let window else { return .part(text, tokens) }
                return text.part(at: tokens).flatMap(window.part).map { .json($0) } ?? .absent
            }
        }
    }
}
