import StoreCore
import StoreEventStream
import StoreHTTPTransport
import StoreWire

/// A request that is answered when the work that it asks for has begun, or where the client prefers
/// that when all of it is done: a call of a use case, or a notification.
final class WorkTicket: Completion {
    /// The longest time that a client may wait for the work to be done.
    static let waitSecondsMax = ClientWait.secondsMax

    private let request: RequestContext
    private let store: Store
    private let waitSeconds: Int?
    /// Keeps the client's session while the client waits.
    private let hold: SessionHold?
    private let once = AnswerOnce()
    /// Ends with the work.
    private let watch = EffectWatch()
    /// What the program makes of it, and where that is written.
    private let following: [(action: any Action, place: String)]
    private let session: String?
    private let principal: String?
    /// The trace that the request is a part of.
    private let trace: String?
    /// As whom the client sees the state.
    private let viewer: Viewer
    /// Whether that has the module that it asks.
    private let isSeen: Bool

    static var answers: [OpenAPI.Answer] {
        let schema = JSONSchema.object([
            .init("epoch", .string()), .init("version", .unsigned), .init("completed", .boolean),
        ])
        return [
            .json(schema, "All of it is done.", headers: ["Preference-Applied"]),
            .json(
                schema,
                "It has begun.",
                status: 202,
                headers: ["Preference-Applied", "Location", "Retry-After"]
            ),
        ]
    }

    static var problems: [ProblemSlug] { [.effectFailed, .storageFull, .refused] }

    /// A ticket of a request whose record is followed by these actions.
    init(
        _ request: RequestContext,
        _ store: Store,
        from session: String?,
        asking module: String? = nil,
        following: [(action: any Action, place: String)] = []
    ) {
        self.request = request
        self.store = store
        self.following = following
        self.session = session
        principal = request.identity?.stamp
        trace = request.exchange.ownTraceparent
        viewer = Viewer(session: nil, sight: request.identity?.sight)
        isSeen = module.map(viewer.sees(module:)) ?? true
        waitSeconds = request.preferences.waitSeconds
            .map { min($0, Self.waitSecondsMax) }
        hold = waitSeconds == nil ? nil : store.hold(session)
    }

    /// Refuses what is not looked at here, because its sender relies on it.
    ///
    /// - Throws: 400 for a condition or a key.
    static func requireNoCondition(_ request: RequestContext) throws(Problem) {
        let name: String
        if request.exchange.has("if-match") {
            name = "If-Match"
        } else if request.exchange.has("idempotency-key") {
            name = "Idempotency-Key"
        } else {
            return
        }
        throw .badRequest(
            "A use case or a notification takes no \(name): its input is kept nowhere, and each "
                + "request is a new call."
        )
    }

    /// Hands the request to the Core.
    func offer(_ work: ClientRequest, cancelsOnClose: Bool = false) {
        let exchange = request.exchange
        let origin = request.origin(in: session)
        // A client that leaves is noticed in suspension alone; what takes long gets there soon by
        // itself.
        if cancelsOnClose, waitSeconds != nil {
            exchange.suspend()
            CancelOnClose.arrange(for: exchange, watch, store.core.effects)
        } else {
            exchange.park()
        }
        do {
            try store.core.offer(
                work,
                requestID: request.id.text,
                principal: principal,
                from: session,
                origin: origin,
                trace: trace,
                watch: watch,
                completion: self
            )
        } catch {
            answer(refused(error))
        }
    }

    func complete(_ outcome: Outcome) {
        switch outcome {
        case .applied(_, let version, _, _): begun(as: version)
        case .refused(let refusal, _) where refusal.isForbidden:
            answer(.forbidden(reason(of: refusal)))
        case .refused(let refusal, _):
            answer(.refused(reason: reason(of: refusal)))
        case .failed(.storageFull): answer(.storageFull())
        case .failed(.unknown): request.exchange.abandon()
        case .failed(.journalFailed):
            answer(.journalFailed())
        default: answer(.draining())
        }
    }

    /// The request is recorded as a version, and the work begins.
    private func begun(as version: UInt64) {
        for (action, place) in following {
            store.core.dispatchProgramAction(
                action,
                after: version,
                at: place,
                from: session,
                principal: principal,
                trace: trace,
                watch: watch
            )
        }
        let dispatch = FollowedDispatch(
            AppliedAnswer(first: version, last: version, changed: false),
            isBatch: false,
            wantsState: false,
            session: session,
            principal: principal
        )
        guard let waitSeconds else {
            store.outcomes.remember(dispatch)
            watch.whenDone { [self] in store.outcomes.end(dispatch, end(of: $0)) }
            return answer(begun(as: dispatch, newest: version))
        }
        let timer =
            watch.isDone
            ? nil
            : store.schedule(after: Double(waitSeconds)) { [self] in
                store.outcomes.remember(dispatch)
                answer(begun(as: dispatch, newest: store.reader.version))
            }
        watch.whenDone { [self] result in
            timer?.cancel()
            store.outcomes.end(dispatch, end(of: result))
            if case .failure(let error) = result {
                let tag = store.reader.tag
                let reason = reason(of: error)
                answer(.workFailed(newest: tag, because: reason))
            } else {
                answer(response(200, store.reader.version, isCompleted: true))
            }
        }
    }

    /// What `GET /dispatch/<version>` answers later. A use case gives no value.
    private func end(of result: Result<any Sendable, any Error>?) -> DispatchEnd {
        if case .failure(let error) = result { return .failed(reason: reason(of: error)) }
        return .done(value: nil)
    }

    /// The answer while the work goes on.
    private func begun(as dispatch: FollowedDispatch, newest: UInt64) -> HTTPResponse {
        response(
            202,
            newest,
            isCompleted: false,
            headers: [
                ("Location", store.links.outcome(dispatch.answer.last)), ("Retry-After", "1"),
            ]
        )
    }

    private func reason(of error: any Error) -> String {
        error.reason(for: viewer, in: watch.module)
    }

    private func reason(of refusal: Refusal) -> String {
        refusal.reason(for: viewer, where: isSeen)
    }

    private func refused(_ error: MailboxError) -> Problem {
        switch error {
        case .full: .overloaded("as many actions of the program's own as may wait already")
        case .closed: .draining()
        }
    }

    private func answer(_ response: @autoclosure () -> HTTPResponse) {
        once(ending: hold) { request.complete(.success(response())) }
    }

    private func answer(_ problem: Problem) {
        once(ending: hold) { request.complete(.failure(problem)) }
    }

    private func response(
        _ status: Int,
        _ version: UInt64,
        isCompleted: Bool,
        headers further: [(String, String)] = []
    ) -> HTTPResponse {
        var headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        headers += further
        if let applied = Preferences.applied(returned: nil, waitSeconds: waitSeconds) {
            headers.append(("Preference-Applied", applied))
        }
        var json = JSONWriter()
        json.object { json in
            json.member("epoch", store.reader.epochText)
            json.member("version", version)
            json.member("completed", isCompleted)
        }
        return HTTPResponse(status: status, headers: headers, body: .bytes(json.array))
    }
}
