/// A property of the store that does not hold.
struct Violation: Error, CustomStringConvertible {
    let property: Property
    let detail: String

    init(_ property: Property, _ detail: String) {
        self.property = property
        self.detail = detail
    }

    var description: String { "\(property.rawValue): \(detail)" }
}

/// The properties that must hold after each step.
enum Property: String, CaseIterable {
    case answer = "an answer has the outcome of the request"
    case trace = "an unapplied request leaves no trace"
    case order = "the journal has the requests' actions, in order, without a hole"
    case replay = "the journal can be reduced again"
    case changed = "changed is true if the state has other bytes"
    case cause = "an action names the action that led to it"
    case traced = "an action is a part of its cause's trace"
    case origin = "an action names its client, and no other"
    case consequence = "the consequences of an action follow, once"
    case called = "presenters and reactions are called for each change, in order"
    case effects = "effects begin for applied actions, and end with their slices and sessions"
    case keys = "keys are kept for applied requests"
    case analytics = "analytics and hooks get applied actions, with their own states"
    case state = "the served state is the state of the actions, byte for byte"
    case restart = "a start leads to the same state"
    case streams = "a stream leads to the state"
    case log = "the log's readers get each record, in order"
    case metrics = "metrics count the applied actions"
    case neighbour = "a store leaves the other stores of its process as they are"
    case sessions = "sessions are bounded, and views report their visibility by actions"
    case leftovers = "ended work leaves nothing behind"
    case secrets = "secrets are nowhere"
    case privacy = "a session gets nothing of another session's slices"
    case personal = "what is forgotten is gone, and nothing else"
    case sights = "a role gets nothing of hidden members"
    case same = "the same seed gives the same journal"
    case trap = "the simulation itself goes on"
}
