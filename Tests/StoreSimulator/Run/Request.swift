import StoreCore
import StorePatterns

/// What a client asks for.
enum Request {
    case dispatch(Dispatch)
    /// Work by name: a use case, whose effect has this note.
    case work(path: String, body: String, note: String?)
    /// A notification, of which the program makes an action.
    case notify(path: String, body: String, action: any Action)

    struct Dispatch {
        var path = "/dispatch"
        var members: [Sent]
        var isArray = false
        var isDryRun = false
        /// Whether the action stands in the query, as links of views have it.
        var isLink = false
        /// An idempotency key, where the request has one.
        var key: String?
        var condition = Condition.none
        /// The recipients: as JSON in the body, and as the audience that this means.
        var recipients: (json: String, audience: Audience?)?
        var prefers: String?
    }

    /// What `If-Match` says.
    enum Condition { case none, newest, older, later, any }
}

/// One action as it is sent.
struct Sent {
    let type: String
    /// The payload as JSON; `nil` where there is none.
    let payload: String?
    /// What of the payload may be kept.
    var kept: String
    /// Why the server should not take it; `nil` where it should.
    var isInvalid = false

    init(_ type: String, _ payload: String? = nil, kept: String? = nil, isInvalid: Bool = false) {
        self.type = type
        self.payload = payload
        self.kept = kept ?? payload ?? "{}"
        self.isInvalid = isInvalid
    }
}

/// A part of the state that a stream is about.
struct StreamTarget {
    let path: String
    /// The part of a state.
    let part: (StateText) -> Part
    /// The slice that a client shows while it reads the stream, if the slice's view reports that.
    var shown: String?

    enum Part: Equatable {
        case json(Bytewise)
        case absent
    }

    /// The member of the root state that the pointer of `/events?path=` leads into; `nil` for a
    /// stream of the whole state.
    var watchedMember: String? {
        let mark = "path=%2F"
        guard path.hasPrefix("/events?"), let start = path.firstRange(of: mark)?.upperBound else {
            return nil
        }
        let pointer = path[start...].prefix { $0 != "&" }
        return String(pointer.firstRange(of: "%2F").map { pointer[..<$0.lowerBound] } ?? pointer)
    }
}

/// Draws what is asked for.
struct Asker {
    var chance: Chance
    /// Who asks.
    var client = Reading(session: nil, mark: Words.mark(of: Sessions.shared), isOperator: false)
    /// The edition of the program that is served.
    var edition = ShippedEdition.first
    private let step: Int
    private var count = 0

    init(_ chance: Chance, step: Int) {
        self.chance = chance
        self.step = step
    }

    /// A name that nothing else has.
    mutating func note() -> String {
        count += 1
        return "n\(step).\(count)"
    }

    mutating func text() -> String { Words.text(&chance) }

    /// A text that its session alone writes.
    mutating func ownText() -> String { client.mark + Words.text(&chance) }
    mutating func id() -> String { Words.id(&chance) }
}
