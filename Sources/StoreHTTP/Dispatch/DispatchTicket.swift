import StoreCore
import StoreEventStream
import StoreHTTPTransport
import StoreWire

/// Answers a request when the Core has completed it: a dispatch, and with the subclasses, a call of
/// a use case, a notification, and the begin or end of a session.
///
/// The Core's thread completes it after the commit; the connection is woken once for the whole
/// batch. The result is only noted there: the event loop's thread writes the answer.
class DispatchTicket: Completion, @unchecked Sendable {
    // Safety: `applied` is written by the thread that completes the exchange, before it does, and
    // read by the event loop's thread after that: the lock of the loop's queue lies between.

    /// The longest time that a client may wait for an action to be entirely processed.
    static let waitSecondsMax = ClientWait.secondsMax

    let exchange: HTTPExchange
    let id: RequestID
    let store: Store
    let preferences: Preferences
    /// On whose behalf it is answered.
    let caller: Caller
    let isBatch: Bool
    /// True if the caller sees the modules of the actions, and so what their effects return.
    let seesModules: Bool
    /// The modules that the caller asks for something; none if it sees the whole state. It may read
    /// why their work fails.
    let askedModules: [String]
    /// Counts what follows the action and has not ended, if the client waits for that.
    let watch: EffectWatch?
    /// Whether it is asked what became of an earlier dispatch.
    let asksAgain: Bool
    /// What lets a request wait that asks what became of a dispatch; one that dispatches gets its
    /// answer whatever happens to its credential meanwhile.
    let access: HeldAccess?
    /// Keeps the client's session while the client waits.
    let hold: SessionHold?
    /// For a client that waits.
    let once = AnswerOnce()
    final var applied: AppliedAnswer?

    init(
        request: RequestContext,
        store: Store,
        preferences: Preferences,
        isBatch: Bool = false,
        caller: Caller,
        seesModules: Bool = true,
        askedModules: [String] = [],
        watch: EffectWatch? = nil
    ) {
        exchange = request.exchange
        id = request.id
        self.store = store
        self.preferences = preferences
        self.isBatch = isBatch
        self.caller = caller
        self.seesModules = seesModules
        self.askedModules = askedModules
        self.watch = watch
        asksAgain = false
        access = nil
        hold = preferences.waitSeconds == nil ? nil : store.hold(caller.session)
    }

    /// A ticket of a request that asks what became of a dispatch.
    init(
        _ request: RequestContext,
        store: Store,
        about dispatch: FollowedDispatch,
        caller: Caller
    ) throws(Problem) {
        access = try request.heldAccess()
        exchange = request.exchange
        id = request.id
        self.store = store
        preferences = Preferences(
            returned: dispatch.wantsState ? .representation : nil,
            waitSeconds: request.preferences.waitSeconds
        )
        isBatch = dispatch.isBatch
        self.caller = caller
        // What was answered first has left out what the caller may not read.
        seesModules = true
        askedModules = []
        asksAgain = true
        watch = nil
        hold = preferences.waitSeconds == nil ? nil : store.hold(caller.session)
    }

    final func complete(_ outcome: Outcome) {
        switch outcome {
        case .applied(let first, let last, let changed, _):
            finishApplied(AppliedAnswer(first: first, last: last, changed: changed))
        case .dryRun(let dryRun): answerDryRun(dryRun)
        case .replayed(let kept): answerAgain(kept)
        case .refused, .versionMismatch, .keyTaken, .failed, .cancelled: answerRefusal(outcome)
        }
    }

    /// Answers what was applied, or waits for what follows it.
    func finishApplied(_ answer: AppliedAnswer) {
        guard let watch else {
            // An envelope that asks for the state ends its batch, so what is published is this
            // version.
            return finish(answer)
        }
        waitForEffects(watch, answer)
    }

    /// Answers a request of which nothing was applied.
    func answerRefusal(_ outcome: Outcome) {
        if let problem = problem(of: outcome) { return answer(problem) }
        // It is not known whether it was applied, so no answer would be true: the connection ends
        // without one, and the client sees an unknown outcome for what it is.
        exchange.abandon()
    }

    /// Returns whether the caller may read why the member of this index was refused, and where.
    ///
    /// The reason is the text of the action's module, for a caller that may dispatch the action. A
    /// reason of the whole state may name any part of it.
    func mayRead(_ refusal: Refusal, of member: Int) -> Bool {
        !refusal.isOfWholeState || caller.viewer.sight == nil
    }

    /// Where the client finds in its body what was refused; `pointer` leads into the payload of the
    /// member of this index.
    func pointer(_ pointer: String?, into member: Int) -> String? {
        guard isBatch else { return pointer.map { "/payload" + $0 } }
        return "/\(member)" + (pointer.map { "/payload" + $0 } ?? "")
    }

    var reader: StateReader { store.reader }

    /// Answers with a problem.
    final func answer(_ problem: Problem) {
        exchange.complete(store.response(problem, for: id))
    }

    /// Whether the answer is to carry the state that the action led to.
    var wantsState: Bool { preferences.returned == .representation }

    /// Gives the answer that the request had when it came first.
    private func answerAgain(_ kept: KeptOutcome) {
        var answer = AppliedAnswer(first: kept.first, last: kept.last, changed: kept.changed)
        answer.isReplayed = true
        if watch != nil, let dispatch = store.outcomes.dispatch(kept.last, for: caller) {
            return wait(for: dispatch, isReplayed: true)
        }
        answer.isEndKnown = false
        guard wantsState, reader.version != kept.last else { return finish(answer) }
        let submitted = reader.threads.past.submit { [self, answer] in
            // Where that state is gone, the answer is true without it.
            if let past = try? reader.state(at: kept.last, for: caller) {
                exchange.complete(response(answer, with: past))
            } else {
                complete(answer)
            }
            store.wake()
        }
        if !submitted { complete(answer) }
    }

    /// Answers with what was applied.
    final func complete(_ answer: AppliedAnswer) {
        applied = answer
        exchange.complete(self)
    }

    /// Compares the two states off the Core's thread: a dry run must not hold up real actions.
    private func answerDryRun(_ run: DryRun) {
        let isTaken = reader.threads.dryRuns.submit { [self] in
            exchange.complete(response(to: run))
            store.wake()
        }
        if !isTaken { answer(.overloaded("enough dry runs are being compared already")) }
    }

    private func response(to run: DryRun) -> HTTPResponse {
        do {
            let patch = try reader.patch(of: run, for: caller)
            var body = Array("{\"changed\":\(run.changed),\"patch\":".utf8)
            patch.withUnsafeBytes { body += $0 }
            body.append(UInt8(ascii: "}"))
            return HTTPResponse(
                status: 200,
                headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
                body: .bytes(body)
            )
        } catch {
            return store.response(
                .refused(reason: "The state that would result has no JSON form: \(error)."),
                for: id
            )
        }
    }
}

extension DispatchTicket: HTTPAnswer {
    func write(to writer: inout HTTPAnswerWriter) {
        guard let applied else { return }
        let epoch = reader.epochText
        writer.status = applied.isCompleted ? 200 : 202
        writer.add(AppliedAnswer.fields)
        writer.add("ETag") { field in
            field.raw("\"")
            field.text(epoch)
            field.raw(":")
            field.decimal(applied.tagged ?? applied.last)
            field.raw("\"")
        }
        let wait =
            applied.isEndKnown ? preferences.waitSeconds.map { min($0, Self.waitSecondsMax) } : nil
        let returned = wantsState && applied.state == nil ? nil : preferences.returned
        if returned != nil || wait != nil,
            let text = Preferences.applied(returned: returned, waitSeconds: wait)
        {
            writer.add("Preference-Applied", text)
        }
        if applied.isReplayed { writer.add("Idempotency-Replayed", "true") }
        if !applied.isCompleted {
            writer.add("Location", store.links.outcome(applied.last))
            writer.add("Retry-After", "1")
        }
        let showsEnd = wait != nil || asksAgain || applied.isOfRequest
        applied.write(to: &writer, epoch: epoch, isBatch: isBatch, showsEnd: showsEnd)
    }
}
