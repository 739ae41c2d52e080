import StoreCore
import StoreJSON
import StorePatterns
import StoreTexts

extension WorkshopProgram {
    static func ask(_ asker: inout Asker, _ root: Workshop) -> Request {
        switch asker.chance.below(40) {
        case 0: return work(&asker)
        case 1:
            let note = asker.note()
            let body = JSONText.object([("note", JSONText.string(note))])
            return .notify(path: "/notify/bell", body: body, action: Desk.Internal.told(note: note))
        case 2...5: return view(&asker)
        case 6: return .dispatch(respelled(&asker))
        default: return .dispatch(dispatch(&asker))
        }
    }

    private static func work(_ asker: inout Asker) -> Request {
        let note = asker.note()
        let body = JSONText.object([
            ("note", JSONText.string(note)), ("password", "\"\(Words.secret)word\""),
            ("seconds", "\(1 + asker.chance.below(5))"),
        ])
        return .work(path: "/usecases/jobs/work", body: body, note: note)
    }

    private static func view(_ asker: inout Asker) -> Request {
        if asker.chance.happens(1, in: 3) { return pinch(&asker) }
        let isBare = asker.chance.happens(1, in: 2)
        let heat = JSONText.number(Words.number(&asker.chance))
        let turned = JSONText.object([("note", JSONText.string(asker.note())), ("heat", heat)])
        let sent = isBare ? Sent("plate/tapped") : Sent("plate/turned", turned)
        return .dispatch(Request.Dispatch(path: "/modules/plate/ui", members: [sent]))
    }

    /// Returns the action of a pin's view, at the path of that pin or of all pins.
    private static func pinch(_ asker: inout Asker) -> Request {
        let id = asker.chance.pick(pins)
        let path = asker.chance.pick(["/modules/pins/ui", "/modules/pins/\(segment(id))/ui"])
        let payload = JSONText.object([("note", JSONText.string(asker.note()))])
        var dispatch = Request.Dispatch(
            path: path,
            members: [Sent("pins/\(id)/pinched", payload)]
        )
        dispatch.isLink = asker.chance.happens(1, in: 2)
        return .dispatch(dispatch)
    }

    private static let pins = ["a", "\u{E9}", "e\u{301}"]

    private static func segment(_ id: String) -> String { PercentEncoding.encode(id) }

    /// Returns two spellings of a text, in an array. A module then copies the text as a shared
    /// value.
    private static func respelled(_ asker: inout Asker) -> Request.Dispatch {
        let place = 2 * asker.chance.below(Words.twins.count / 2)
        var members = [place, place + 1].map { place in
            let text = JSONText.string(Words.twins[place])
            let note = ("note", JSONText.string(asker.note()))
            return Sent("shelf/labelled", .of(note, ("text", text)))
        }
        members.append(Sent("plate/labelled", .of(("note", JSONText.string(asker.note())))))
        var dispatch = Request.Dispatch(members: members)
        dispatch.isArray = true
        return dispatch
    }

    private static func dispatch(_ asker: inout Asker) -> Request.Dispatch {
        let isArray = asker.chance.happens(1, in: 4)
        let count = isArray ? 1 + asker.chance.below(4) : 1
        var dispatch = Request.Dispatch(members: (0..<count).map { _ in sent(&asker) })
        dispatch.isArray = isArray
        dispatch.isDryRun = asker.chance.happens(1, in: 10)
        dispatch.isLink = !isArray && asker.chance.happens(1, in: 8)
        if asker.chance.happens(1, in: 8) { dispatch.key = "k\(asker.chance.below(12))" }
        if asker.chance.happens(1, in: 8) {
            dispatch.condition = asker.chance.pick([.newest, .newest, .older, .later, .any])
        }
        if asker.chance.happens(1, in: 6) { dispatch.recipients = recipients(&asker) }
        if asker.chance.happens(1, in: 8) {
            dispatch.prefers = asker.chance.pick(["return=representation", "wait=5", "wait=0"])
        }
        return dispatch
    }

    private static func recipients(
        _ asker: inout Asker
    ) -> (json: String, audience: Audience?) {
        switch asker.chance.below(4) {
        case 0: return ("\"recipients\":\"all\"", nil)
        case 1:
            return (
                "\"recipients\":{\"authorized\":[\"DeskPresenter\",\"r\u{E9}\"]}",
                Audience(.authorized(to: ["DeskPresenter", "r\u{E9}"]), emitter: nil)
            )
        case 2:
            return (
                "\"recipients\":\"allExcludingEmitter\",\"emitter\":\"re\u{301}\"",
                Audience(.allExcludingEmitter, emitter: "re\u{301}")
            )
        default:
            return (
                "\"recipients\":\"emitter\",\"emitter\":\"ShelfPresenter\"",
                Audience(.emitter, emitter: "ShelfPresenter")
            )
        }
    }

    private static func sent(_ asker: inout Asker) -> Sent {
        let note = ("note", JSONText.string(asker.note()))
        switch asker.chance.below(47) {
        case 44...46: return bell(note, &asker)
        case 40...43: return purse(note, &asker)
        case 30...34: return draft(note, &asker)
        case 35...39: return pin(note, &asker)
        case 0...6: return shelf(note, &asker)
        case 7...10: return plate(note, &asker)
        case 11...18: return bin(note, &asker)
        case 19...25: return job(note, &asker)
        case 26: return Sent("desk/asked", JSONText.object([note]))
        case 29: return whole(note, &asker)
        case 27, 28: return secretive(note, &asker)
        default: return invalid(note, &asker)
        }
    }

    private static func shelf(_ note: (String, String), _ asker: inout Asker) -> Sent {
        switch asker.chance.below(14) {
        case 12: return Sent("shelf/saut\u{E9}", .of(note))
        case 13:
            let name = JSONText.string(asker.text())
            let tally = JSONText.object([("a", "1")]).dropLast() + ",\(name):2}"
            return Sent(
                "shelf/filed",
                .of(note, ("tally", String(tally))),
                isInvalid: name == "\"a\""
            )
        case 0...3:
            return Sent("shelf/labelled", .of(note, ("text", JSONText.string(asker.text()))))
        case 4...5:
            let grams = JSONText.number(Words.number(&asker.chance))
            return Sent("shelf/weighed", .of(note, ("grams", grams)))
        case 6: return Sent("shelf/counted", .of(note, ("name", JSONText.string(asker.text()))))
        case 7: return Sent("shelf/stamped", .of(note))
        case 8: return Sent("shelf/refused", .of(note))
        case 9: return Sent("shelf/broken", .of(note))
        case 10: return Sent("shelf/reset")
        default:
            let ways = ["block", "break", "replace", "follow", "follow in vain", "nothing"]
            let how = JSONText.string(asker.chance.pick(ways))
            return Sent("shelf/intercepted", .of(note, ("how", how)))
        }
    }

    private static func plate(_ note: (String, String), _ asker: inout Asker) -> Sent {
        let title = ("title", JSONText.string(asker.text()))
        switch asker.chance.below(9) {
        case 8: return Sent("plate/labelled", .of(note))
        case 0: return Sent("plate/stop")
        case 1...3: return Sent("plate/renamed", .of(note, title))
        default:
            let seconds = ("seconds", "\(asker.chance.below(4))")
            return Sent("plate/start", .of(note, title, seconds))
        }
    }

    private static func bin(_ note: (String, String), _ asker: inout Asker) -> Sent {
        let prefix = "bins/" + asker.id() + "/"
        let text = ("text", JSONText.string(asker.text()))
        switch asker.chance.below(15) {
        case 14 where asker.edition == .second: return Sent(prefix + "Emptied")
        case 12...14:
            let field = asker.edition == .first ? "by" : "times"
            return Sent(prefix + "Filled", .of((field, "\(asker.chance.below(9))")))
        case 0...2: return Sent(prefix + "start", .of(note, text))
        case 3: return Sent(prefix + "stop")
        case 4...6: return Sent(prefix + "put")
        case 7, 8: return Sent(prefix + "texted", .of(note, text))
        case 9: return Sent(prefix + "stilled")
        default:
            let seconds = ("seconds", "\(asker.chance.below(6))")
            return Sent(prefix + "shaken", .of(note, seconds))
        }
    }

    private static func whole(_ note: (String, String), _ asker: inout Asker) -> Sent {
        let ways = ["posted", "posted", "posted", "cleared", "strayed", "refused"]
        return Sent(
            "Tidied",
            .of(
                note,
                ("how", JSONText.string(asker.chance.pick(ways))),
                ("text", JSONText.string(asker.text())),
                ("bin", JSONText.string(asker.id()))
            )
        )
    }

    private static func draft(_ note: (String, String), _ asker: inout Asker) -> Sent {
        let seconds = ("seconds", "\(asker.chance.below(4))")
        switch asker.chance.below(12) {
        case 0...4:
            return Sent("draft/typed", .of(note, ("text", JSONText.string(asker.ownText()))))
        case 5: return Sent("draft/typed", .of(note, ("text", JSONText.string(Draft.State.blank))))
        case 6...8: return Sent("draft/saved", .of(note, seconds))
        case 9: return Sent("draft/refused", .of(note))
        default: return Sent("draft/discarded")
        }
    }

    private static func bell(_ note: (String, String), _ asker: inout Asker) -> Sent {
        let id = ("id", JSONText.string(asker.chance.pick(["a", "e\u{301}", "\u{E9}"])))
        let seconds = asker.chance.below(90)
        switch asker.chance.below(8) {
        case 0...4: return Sent("gong/set", .of(note, id, ("seconds", "\(seconds)")))
        case 5, 6:
            let missed = (
                "missed", JSONText.string(asker.chance.pick(["once", "each", "skipped"]))
            )
            return Sent("gong/repeated", .of(note, id, ("seconds", "\(seconds + 1)"), missed))
        default: return Sent("gong/silenced", .of(id))
        }
    }

    private static func purse(_ note: (String, String), _ asker: inout Asker) -> Sent {
        let coins = ("coins", "\(asker.chance.below(9))")
        switch asker.chance.below(10) {
        case 8, 9:
            return Sent("purse/lent", .of(note, ("seconds", "\(asker.chance.below(90))")))
        case 0...3: return Sent("purse/earned", .of(note, coins))
        case 4...5: return Sent("purse/spent", .of(note, coins))
        case 6: return Sent("purse/spent", .of(note, ("coins", "0")))
        default: return Sent("purse/counted", .of(note))
        }
    }

    private static func pin(_ note: (String, String), _ asker: inout Asker) -> Sent {
        let prefix = "pins/" + asker.chance.pick(pins) + "/"
        let text = ("text", JSONText.string(asker.ownText()))
        switch asker.chance.below(14) {
        case 0...3: return Sent(prefix + "start", .of(note, text))
        case 4: return Sent(prefix + "stop")
        case 5, 6: return Sent(prefix + "texted", .of(note, text))
        case 7, 8: return Sent(prefix + "filled", .of(note))
        default: return Sent(prefix + "turned", .of(note))
        }
    }

    private static func job(_ note: (String, String), _ asker: inout Asker) -> Sent {
        let id = ("id", JSONText.string(Words.id(&asker.chance)))
        let seconds = ("seconds", "\(asker.chance.below(6))")
        switch asker.chance.below(14) {
        case 0...3:
            let time = asker.chance.happens(1, in: 6) ? ("seconds", "99") : seconds
            let replaces = ("replaces", asker.chance.happens(1, in: 3) ? "true" : "false")
            return Sent("jobs/ran", .of(note, id, time, replaces))
        case 4: return Sent("jobs/merged", .of(note, seconds))
        case 5: return Sent("jobs/queued", .of(note, seconds))
        case 6: return Sent("jobs/cancelled", .of(id))
        case 7: return Sent("jobs/tried", .of(note, ("failures", "\(asker.chance.below(4))")))
        case 8...10:
            let policy = asker.chance.pick(["lost", "retried", "retried", "reported"])
            return Sent("jobs/kept", .of(note, seconds, ("onRestart", "\"\(policy)\"")))
        case 11: return Sent("jobs/confided", .of(note))
        case 12: return Sent("Multiply", .of(note, ("a", "21")))
        default: return Sent("jobs/chained", .of(note, seconds))
        }
    }

    private static func secretive(_ note: (String, String), _ asker: inout Asker) -> Sent {
        let code = ("code", "\"\(Words.secret)4711\"")
        let type = asker.chance.pick(["safe/opened", "Unlock"])
        return Sent(type, .of(note, code), kept: .of(note))
    }

    private static func invalid(_ note: (String, String), _ asker: inout Asker) -> Sent {
        switch asker.chance.below(7) {
        case 0: Sent("shelf/label\u{E9}d", .of(note), isInvalid: true)
        case 3, 4: Sent("shelf/saute\u{301}", .of(note), isInvalid: true)
        case 5, 6:
            Sent(
                "shelf/filed",
                .of(note, ("tally", "{\"\u{E9}\":1,\"e\u{301}\":2}")),
                isInvalid: true
            )
        case 1: Sent("desk/told", .of(note), isInvalid: true)
        case 2: Sent("shelf/weighed", .of(note, ("grams", "\"much\"")), isInvalid: true)
        default: Sent("plate/tapped", isInvalid: true)
        }
    }

    static let pointers = [
        ["shelf", "label"], ["plate", "title"], ["desk", "told", "0"], ["desk", "title"],
        ["jobs"], ["bins", "\u{E9}", "text"], ["bins", "e\u{301}", "count"], ["draft", "text"],
        ["draft"], ["purse"], ["purse", "coins"], ["schedule"], ["schedule", "gong/a", "due"],
        ["pins"], ["pins", "\u{E9}", "text"],
        ["pins", "e\u{301}"],
        ["sessions", "shared", "route"], ["sessions"], ["sign"], ["tint"], ["stools", "legs"],
    ]

    static func streams(_ chance: inout Chance) -> StreamTarget {
        let names = Workshop.modules.map(\.name)
        let patch = chance.happens(1, in: 2) ? "?mode=patch" : ""
        if chance.happens(2, in: 7), let view = view(&chance, isStream: true) { return view }
        switch chance.below(5) {
        case 0: return StreamTarget(path: "/events" + patch, part: { .json($0.whole) })
        case 1:
            var module = chance.below(names.count)
            // A field is no module, so the shelf takes its place.
            if Workshop.modules[module].isField { module = 0 }
            let path = "/modules/\(names[module])/events" + patch
            var target = StreamTarget(path: path) { .slice($0.slices[module]) }
            if names[module] == "desk" { target.shown = "desk" }
            return target
        case 2:
            let tokens = chance.pick(pointers)
            let pointer = JSONPointer(tokens: tokens).description
            let path = "/events?path=" + StreamTarget.escaped(pointer)
            return StreamTarget(path: path + patch.replacingFirst("?", by: "&")) {
                .part($0, tokens)
            }
        default:
            let id = Words.id(&chance)
            let module = chance.pick(["bins", "pins"])
            let path = "/modules/\(module)/\(StreamTarget.escaped(id))/events" + patch
            var target = StreamTarget(path: path) { .part($0, [module, id]) }
            if module == "bins" { target.shown = "bins/" + id }
            return target
        }
    }
}

extension String {
    /// Returns an object of members that are JSON already.
    fileprivate static func of(_ members: (String, String)...) -> String {
        JSONText.object(members)
    }

    func replacingFirst(_ text: String, by other: String) -> String {
        hasPrefix(text) ? other + dropFirst(text.count) : self
    }
}

extension StreamTarget {
    /// Returns a text in the form of a path or a query.
    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = byte.isLetterOrDigit
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
        }.joined()
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}

extension StreamTarget.Part {
    static func slice(_ slice: Bytewise) -> Self {
        slice == .absent ? .absent : .json(slice)
    }

    static func part(_ text: StateText, _ tokens: [String]) -> Self {
        text.part(at: tokens).map { .json($0) } ?? .absent
    }
}
