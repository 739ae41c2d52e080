import StoreCore
import StorePatterns

/// A request of a client.
enum Request {
    case dispatch(Dispatch)
    /// A call of a use case, whose effect has this note.
    case work(path: String, body: String, note: String?)
    /// A notification, which the program turns into an action.
    case notify(path: String, body: String, action: any Action)

    struct Dispatch {
        var path = "/dispatch"
        var members: [Sent]
        var isArray = false
        var isDryRun = false
        /// True if the action is in the query, as in the links of views.
        var isLink = false
        /// The idempotency key, if the request has one.
        var key: String?
        var condition = Condition.none
        /// The recipients: as JSON in the body, and as the audience that the JSON stands for.
        var recipients: (json: String, audience: Audience?)?
        var prefers: String?
    }

    /// The value of `If-Match`.
    enum Condition { case none, newest, older, later, any }
}

/// An action as it is sent.
struct Sent {
    let type: String
    /// The payload as JSON; `nil` if there is none.
    let payload: String?
    /// The part of the payload that may be kept.
    var kept: String
    /// True if the server should refuse the action.
    var isInvalid = false

    init(_ type: String, _ payload: String? = nil, kept: String? = nil, isInvalid: Bool = false) {
        self.type = type
        self.payload = payload
        self.kept = kept ?? payload ?? "{}"
        self.isInvalid = isInvalid
    }
}

/// The part of the state that a stream shows.
struct StreamTarget {
    let path: String
    /// Returns the part of a state.
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

/// Draws requests.
struct Asker {
    var chance: Chance
    /// The client of the request.
    var client = Reading(session: nil, mark: Words.mark(of: Sessions.shared), isOperator: false)
    /// The edition of the served program.
    var edition = ShippedEdition.first
    private let step: Int
    private var count = 0

    init(_ chance: Chance, step: Int) {
        self.chance = chance
        self.step = step
    }

    /// Returns a unique name.
    mutating func note() -> String {
        count += 1
        return "n\(step).\(count)"
    }

    mutating func text() -> String { Words.text(&chance) }

    /// Returns a text that only its session writes.
    mutating func ownText() -> String { client.mark + Words.text(&chance) }
    mutating func id() -> String { Words.id(&chance) }
}
