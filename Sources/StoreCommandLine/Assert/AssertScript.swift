import StoreWire

/// The script of `store-server assert`: steps, each with a request and the expected result.
struct AssertScript {
    /// The name of the script, for the last line.
    let name: String
    let steps: [Step]

    /// A request with the expectation of its result.
    struct Step {
        /// The title of the step in the output: its own name, or a description of its request.
        let title: String
        let sender: Sender
        let request: Request
        let expectation: Expectation
    }

    /// The sender of a step.
    struct Sender: Equatable {
        /// The principal, such as `author/u1`; `nil` if the step uses the credential of the whole
        /// script.
        var principal: String?
        /// The session, by the script's name for it; `nil` for none.
        var session: String?
    }

    /// The principals of the steps, in their order, each once.
    var principals: [String] {
        steps.compactMap(\.sender.principal).reduce(into: []) { found, principal in
            if !found.contains(principal) { found.append(principal) }
        }
    }

    /// A `POST` with a JSON body.
    struct Request {
        let path: String
        let body: [UInt8]
    }

    /// The expected result of a step.
    struct Expectation {
        /// The changes of the state, in the order in which they are stated.
        var changes: [(pointer: JSONPointer, value: JSONTree)] = []
        /// The wire names of actions that effects, presenters and reactions dispatch.
        var received: [String] = []
        var answer = Answer.success
        /// True if a change or an action that is not stated fails the step.
        var isExhaustive = true
    }

    enum Answer: Equatable {
        case success
        /// A refusal with this reason, which the reducer gives.
        case refused(String)
        /// A problem with this slug.
        case problem(String)
    }
}

/// The reason why a script can't be read: the pointer of the mistake, and the values that are
/// allowed there.
struct AssertScriptError: Error, CustomStringConvertible {
    let description: String

    init(_ pointer: JSONPointer, _ message: String) {
        description = pointer == .root ? message : "\(pointer): \(message)"
    }
}
