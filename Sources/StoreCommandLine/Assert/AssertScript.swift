import StoreWire

/// What `store-server assert` plays: steps, each with what it asks for and what is to follow.
struct AssertScript {
    /// What it shows, for the last line.
    let name: String
    let steps: [Step]

    /// One request, and all that comes of it.
    struct Step {
        /// What it is called in the output: its own name, or what it asks for.
        let title: String
        let sender: Sender
        let request: Request
        let expectation: Expectation
    }

    /// The sender of a step.
    struct Sender: Equatable {
        /// The principal, such as `author/u1`; `nil` for what the whole script shows.
        var principal: String?
        /// The session, by the script's name for it; `nil` for none.
        var session: String?
    }

    /// The principals of its steps, in their order, each once.
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

    /// What follows a step.
    struct Expectation {
        /// The changes of the state, in the order in which they are stated.
        var changes: [(pointer: JSONPointer, value: JSONTree)] = []
        /// The wire names of what effects, presenters and reactions dispatch.
        var received: [String] = []
        var answer = Answer.success
        /// Whether what is not stated fails.
        var isExhaustive = true
    }

    enum Answer: Equatable {
        case success
        /// The reducer's reason.
        case refused(String)
        /// A problem of this slug.
        case problem(String)
    }
}

/// Why a script can't be read: where, and what is allowed there.
struct AssertScriptError: Error, CustomStringConvertible {
    let description: String

    init(_ pointer: JSONPointer, _ message: String) {
        description = pointer == .root ? message : "\(pointer): \(message)"
    }
}
