import Dispatch
import HTTPTransport
import StoreCore
import Synchronization
import Wire

/// What a dispatched request waits for: turns the Core's outcome into its answer.
///
/// The Core's thread completes it after the commit; the connection is woken once for the whole batch.
final class DispatchTicket<State: Codable & Equatable & Sendable>: Completion {
    /// The longest time that a client may wait for an action to be entirely processed.
    static var waitSecondsMax: Int { ClientWait.secondsMax }

    let exchange: HTTPExchange
    let store: Store<State>
    let preferences: Preferences
    private let isBatch: Bool
    let requestID = RequestID.next()
    /// Tells when the effects have ended, where the client waits for that.
    let watch: EffectWatch?
    /// Keeps the client's session while the client waits for effects.
    let hold: SessionHold?
    /// Whether the client that waits for effects has its answer.
    let isAnswered = Atomic(false)

    init(
        exchange: HTTPExchange,
        store: Store<State>,
        preferences: Preferences,
        isBatch: Bool,
        session: String? = nil
    ) {
        self.exchange = exchange
        self.store = store
        self.preferences = preferences
        self.isBatch = isBatch
        watch = preferences.waitSeconds != nil && store.core.effects != nil ? EffectWatch() : nil
        hold = watch == nil ? nil : store.hold(session)
    }

    func complete(_ outcome: Outcome) {
        switch outcome {
        case .applied(let first, let last, let changed, _):
            // An envelope that wants the state ends its batch, so what is published is this version.
            let state = wantsState ? store.publisher.snapshot.state : nil
            if let watch {
                waitForEffects(watch, first, last, changed)
            } else {
                exchange.complete(applied(first, last, changed, state))
            }
        case .refused(let refusal, _) where refusal.isForbidden:
            answer(.forbidden(refusal.reason))
        case .refused(let refusal, let member):
            let payload = isBatch ? "/\(member)/payload" : "/payload"
            exchange.complete(
                Problem.refused(
                    reason: refusal.reason,
                    pointer: refusal.pointer.map { payload + $0 } ?? (isBatch ? "/\(member)" : nil)
                ).response(for: requestID)
            )
        case .versionMismatch(let current):
            answer(.versionMismatch(current: Tag(epoch: store.publisher.epoch, version: current)))
        case .dryRun(let dryRun):
            answerDryRun(dryRun)
        case .replayed(let kept):
            answerAgain(kept)
        case .keyTaken:
            answer(.idempotencyMismatch())
        case .failed(.storageFull):
            answer(.storageFull())
        case .failed(.closed):
            answer(.draining())
        case .failed(.unreadable):
            answer(.overloaded("whether this key was used before can't be read; the log says why"))
        case .failed(.unknown), .cancelled:
            // Whether it was applied is not known, so no answer would be true: the connection ends
            // without one, and the client sees an unknown outcome for what it is.
            exchange.abandon()
        }
    }

    /// Answers with a problem.
    func answer(_ problem: Problem) {
        exchange.complete(problem.response(for: requestID))
    }

    /// Whether the answer is to carry the state that the action led to.
    var wantsState: Bool { preferences.returned == .representation }

    /// Gives the answer that the request had when it came first.
    private func answerAgain(_ kept: KeptOutcome) {
        let respond: @Sendable (Bytes?) -> Void = { [self] state in
            var response = applied(kept.first, kept.last, kept.changed, state)
            response.headers.append(("Idempotency-Replayed", "true"))
            exchange.complete(response)
        }
        let newest = store.publisher.snapshot
        guard wantsState, newest.version != kept.last else {
            respond(wantsState ? newest.state : nil)
            return
        }
        let submitted = store.timeTravel.snapshot(at: kept.last) { [self] state in
            // Where that state is gone, the answer is true without it.
            respond((try? state.get())?.state)
            store.wake()
        }
        if !submitted { respond(nil) }
    }

    func applied(
        _ first: UInt64,
        _ last: UInt64,
        _ changed: Bool,
        _ state: Bytes?,
        etag: String? = nil,
        isCompleted: Bool = true,
        value: [UInt8]? = nil
    ) -> HTTPResponse {
        var body = JSONOutput(capacity: 96)
        body.raw("{\"epoch\":\"")
        body.raw(store.publisher.epochText.utf8)
        body.raw("\",")
        if isBatch {
            body.raw("\"first\":")
            body.integer(first)
            body.raw(",")
        }
        body.raw("\"version\":")
        body.integer(last)
        body.raw(changed ? ",\"changed\":true" : ",\"changed\":false")
        if preferences.waitSeconds != nil {
            body.raw(isCompleted ? ",\"completed\":true" : ",\"completed\":false")
        }
        if let value {
            body.raw(",\"value\":")
            body.raw(value)
        }
        if let state {
            body.raw(",\"state\":")
            state.withUnsafeBytes { body.raw($0) }
        }
        body.raw("}")
        var headers = [
            ("Content-Type", "application/json"),
            ("ETag", etag ?? "\"" + store.publisher.epochText + ":" + String(last) + "\""),
            ("Cache-Control", "no-store"),
        ]
        let wait = preferences.waitSeconds.map { min($0, Self.waitSecondsMax) }
        let returned = wantsState && state == nil ? nil : preferences.returned
        if let applied = Preferences.applied(returned: returned, waitSeconds: wait) {
            headers.append(("Preference-Applied", applied))
        }
        return HTTPResponse(
            status: isCompleted ? 200 : 202,
            headers: headers,
            body: .bytes(body.array)
        )
    }

    /// Compares the two states off the Core's thread: a dry run must not hold up real actions.
    private func answerDryRun(_ run: DryRun) {
        DispatchQueue.global().async { [self] in
            exchange.complete(response(to: run))
            store.wake()
        }
    }

    private func response(to run: DryRun) -> HTTPResponse {
        guard let before = run.before as? State, let after = run.after as? State else {
            return Problem.overloaded("the dry run left no state").response(for: requestID)
        }
        do {
            let patch = try JSONPatch.diff(
                from: JSONDocument(parsing: store.encoder.encode(before), limits: .unbounded),
                to: JSONDocument(parsing: store.encoder.encode(after), limits: .unbounded)
            )
            var body = Array("{\"changed\":\(run.changed),\"patch\":".utf8)
            patch.withUnsafeBytes { body += $0 }
            body.append(UInt8(ascii: "}"))
            return HTTPResponse(
                status: 200,
                headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
                body: .bytes(body)
            )
        } catch {
            return Problem.refused(
                reason: "The state that would result has no JSON form: \(error)."
            ).response(for: requestID)
        }
    }
}
