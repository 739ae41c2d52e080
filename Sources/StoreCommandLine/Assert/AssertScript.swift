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
        let request: Request
        let expectation: Expectation
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
