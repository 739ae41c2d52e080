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
    case trace = "what is not applied leaves no trace"
    case order = "the journal has what was asked, in order, without a hole"
    case replay = "the journal can be reduced again"
    case changed = "changed is true when the state has other bytes"
    case cause = "an action names the action that led to it"
    case traced = "an action is a part of the trace of what led to it"
    case origin = "an action names its client, and no other"
    case consequence = "what follows from an action does, once"
    case called = "presenters and reactions are called for each change, in order"
    case effects = "effects begin for applied actions, and end with what they work for"
    case keys = "keys are kept for what was applied"
    case analytics = "analytics and hooks get applied actions, with their own states"
    case state = "what is served is what the actions lead to, byte for byte"
    case restart = "a start leads to the same state"
    case streams = "a stream leads to the state"
    case log = "the log's readers get each record, in order"
    case metrics = "metrics count what was done"
    case neighbour = "a store leaves the other stores of its process as they are"
    case sessions = "sessions are bounded, and views have actions for when they are shown"
    case leftovers = "what is over leaves nothing behind"
    case secrets = "secrets are nowhere"
    case privacy = "a session gets nothing of another session's slices"
    case sights = "a role gets nothing of what it does not see"
    case same = "the same seed gives the same journal"
    case trap = "the simulation itself goes on"
}
