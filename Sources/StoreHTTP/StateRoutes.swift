import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreHistory
import StoreJSON
import StoreJSONSchema
import StoreTexts
import StoreWire

/// `GET /state` and `GET /state/<pointer>`: the published state or a part of it. A request may ask
/// for the newest or a past version, or wait for a newer version.
struct StateRoutes: RouteGroup {
    let store: Store

    var routes: [Route] {
        [
            .reading(
                store.links.state,
                "State",
                "The state.",
                needs: .state,
                parameters: StateParameters.all,
                answers: Self.answers(.reference("State")),
                problems: Self.problems
            ) { request throws(Problem) in
                try answer(request, .root)
            },
            .reading(
                store.links.state + "/{pointer...}",
                "Part",
                "A part of the state, or a window of an object.",
                needs: .state,
                parameters: [Self.pointer] + StateParameters.all + WindowParameters.all,
                answers: Self.answers(.any),
                problems: Self.problems
            ) { request throws(Problem) in
                let pointer = try request.pointer()
                try answer(
                    request,
                    pointer,
                    request.window.map { windowAnswer(request, pointer, $0) }
                )
            },
        ]
    }

    private static var problems: [ProblemSlug] {
        [.notFound, .gone, .versionMismatch, .versionUnreadable]
    }

    /// Returns the descriptions of the answers: a part of the state or, with the parameter `blame`,
    /// the action that last changed the part.
    private static func answers(_ schema: JSONSchema) -> [OpenAPI.Answer] {
        [
            .json(
                .anyOf([schema, .reference("Blame")]),
                "The state, or the action that last changed it.",
                headers: ["ETag", "Link"]
            ),
            .notModified,
        ]
    }

    private static var pointer: Parameter<String> {
        Parameter(
            description: .init(
                "pointer",
                in: .path,
                .text(pattern: "^([^~]|~[01])+$"),
                summary: "A JSON Pointer (RFC 6901) without its first slash; the other slashes "
                    + "stay."
            ),
            allowedValues: "a JSON Pointer (RFC 6901)"
        ) { $0 }
    }

    private func windowAnswer(
        _ request: RequestContext,
        _ pointer: JSONPointer,
        _ window: MemberWindow
    ) -> WindowAnswer {
        let tokens = pointer.tokens.map { PercentEncoding.encode(JSONPointer.escaped($0)) }
        return WindowAnswer(
            pointer: pointer,
            window: window,
            path: ([store.links.state] + tokens).joined(separator: "/"),
            version: request[StateParameters.version]
        )
    }

    private func answer(
        _ request: RequestContext,
        _ pointer: JSONPointer,
        _ window: WindowAnswer? = nil
    ) throws(Problem) {
        let after = request[StateParameters.after]
        let wait = request[StateParameters.wait]
        let version = request[StateParameters.version]
        let blame = request[StateParameters.blame]
        if let version {
            // Only the tag of a past state is compared. To compare the content, the server would
            // have to make the state again.
            let tag = Tag(epoch: store.reader.epoch, version: version)
            try StateAnswer.checkIfMatch(past: tag, of: request.exchange)
        } else if request.exchange.hasHeader("if-match") {
            let caller = try request.caller()
            try StateAnswer.checkIfMatch(store.reader.state(for: caller), of: request.exchange)
        }
        if version != nil || blame {
            guard after == nil, wait == nil else {
                throw .badRequest(
                    "A request for a past version does not wait. Leave out the "
                        + "parameters after and wait."
                )
            }
            if blame, window != nil {
                throw .badRequest(
                    "The parameter blame is for a whole part. Leave out from and limit."
                )
            }
            return try showPast(request, pointer, window, version: version, blame: blame)
        }
        if wait != nil, after == nil {
            throw .badRequest(
                "The parameter wait needs after=<version> with the version that "
                    + "you have."
            )
        }
        guard let after else {
            let state = store.reader.state(for: try request.caller())
            return try show(request, pointer, window, of: state)
        }
        try answerLongPoll(request, pointer, window, after: after, seconds: wait ?? 0)
    }

    /// Answers as soon as the caller's part of the state changes after the version `after`. Answers
    /// 304 when the time to wait is over, or when the client has closed its side of the connection.
    /// If the credential or the session ends, the answer is a problem with the reason.
    private func answerLongPoll(
        _ request: RequestContext,
        _ pointer: JSONPointer,
        _ window: WindowAnswer?,
        after: UInt64,
        seconds: UInt64
    ) throws(Problem) {
        let (reader, caller) = (store.reader, try request.caller())
        let current = reader.state(for: caller)
        guard current.lastChangeVersion <= after else {
            return try show(request, pointer, window, of: current, isConditional: false)
        }
        guard seconds > 0 else { return request.respond(StateAnswer.notModified(current)) }
        // The poll needs no session. If the request has a session, the hold keeps the session alive
        // during the poll.
        let hold = store.hold(try request.useSession())
        let access = try request.accessLease()
        request.exchange.suspend()
        let wait = reader.answerWhenChanged(after: after, for: caller, with: access) { newer in
            let hasEnded = hold?.isSessionOpen == false
            hold?.end()
            if let problem = access?.loggedProblem { return request.complete(.failure(problem)) }
            if hasEnded { return request.complete(.failure(request.sessionEndedProblem)) }
            guard let newer else {
                let state = reader.state(for: caller)
                return request.complete(.success(StateAnswer.notModified(state)))
            }
            if let window { return window.complete(request, of: newer, by: reader) }
            let missing = MissingPart.pointer(pointer)
            StateAnswer.complete(request, with: pointer, of: newer, by: reader, orElse: missing)
        }
        guard let wait else { return }
        // The session or the access may have ended before the wait was registered.
        if hold?.isSessionOpen == false || access?.isValid == false { wait.expire() }
        request.exchange.whenClientLeaves { wait.expire() }
        let longest = access?.limitedSeconds(ofWait: Double(seconds)) ?? Double(seconds)
        if let timer = store.schedule(after: longest, wait.expire) { wait.cancelTimerAtEnd(timer) }
    }

    private func show(
        _ request: RequestContext,
        _ pointer: JSONPointer,
        _ window: WindowAnswer?,
        of state: VisibleState,
        isConditional: Bool = true
    ) throws(Problem) {
        if let window {
            return window.answer(
                request,
                of: state,
                by: store.reader,
                isConditional: isConditional
            )
        }
        try StateAnswer.answer(
            request,
            with: pointer,
            of: state,
            by: store.reader,
            isConditional: isConditional,
            orElse: .pointer(pointer)
        )
    }
}

enum StateParameters {
    static let after = Parameter.number(
        "after",
        "Answer only with a version greater than this. Without wait, the answer is 304 at once "
            + "if there is none."
    )
    static let wait = Parameter.number(
        "wait",
        in: 0...UInt64(ClientWait.secondsMax),
        "Seconds to wait for a newer version. Needs after, or the answer is 400."
    )
    static let version = Parameter.number("version", "The state as it was at this version.")
    static let blame = Parameter.flag("blame", "Answer with the action that last changed the part.")

    static let all: [any RouteParameter] = [
        after, wait, version, blame, HeaderParameter.ifNoneMatch, HeaderParameter.ifMatch,
    ]
}

// Past states

extension StateRoutes {
    /// Answers with a past state (protocol 3.3), or with the action that last changed the part.
    private func showPast(
        _ request: RequestContext,
        _ pointer: JSONPointer,
        _ window: WindowAnswer?,
        version: UInt64?,
        blame: Bool
    ) throws(Problem) {
        let (reader, caller) = (store.reader, try request.caller())
        let current = reader.state(for: caller)
        let version = version ?? current.version
        guard version <= current.version else {
            throw .notFound(version: version, newest: current.version)
        }
        if version == current.version, !blame {
            return try show(request, pointer, window, of: current)
        }
        let ifNoneMatch = request.exchange.headerList("if-none-match")
        request.respond(
            on: reader.threads.pastStates,
            orBusy: "too many requests for past versions wait already"
        ) { [self] () throws(Problem) in
            if blame {
                let found = try reader.blame(pointer, at: version, for: caller)
                return response(to: pointer, found, at: version)
            }
            let state = try reader.state(at: version, for: caller)
            if let window {
                return try window.result(of: state, ifNoneMatch: ifNoneMatch).get().response
            }
            return try response(to: pointer, of: state, ifNoneMatch: ifNoneMatch)
        }
    }

    private func response(
        to pointer: JSONPointer,
        of state: VisibleState,
        ifNoneMatch known: String?
    ) throws(Problem) -> HTTPResponse {
        guard let part = state.part(at: pointer) else {
            throw .notFound(pointer: pointer.description)
        }
        return StateAnswer.isKnownToClient(state, ifNoneMatch: known)
            ? StateAnswer.notModified(state) : StateAnswer.response(with: part, of: state)
    }

    private func response(
        to pointer: JSONPointer,
        _ blame: Blame,
        at version: UInt64
    ) -> HTTPResponse {
        .uncached { body in
            body.member("epoch", store.reader.epochText)
            body.member("version", version)
            body.member("pointer", pointer.description)
            body.key("changedBy")
            if let record = blame.record {
                body.object { action in
                    action.member("version", record.version)
                    action.member("type", record.type)
                    action.member("time", CivilTime(nanosecondsSince1970: record.time).rfc3339())
                    if let principal = record.principal {
                        action.member("principal", principal.name)
                        if let role = principal.role { action.member("role", role) }
                    }
                }
            } else {
                body.null()
            }
            body.member("searchedAfter", blame.searchedAfter)
            body.member("complete", blame.isComplete)
        }
    }
}
