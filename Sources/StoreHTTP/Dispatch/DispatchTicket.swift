import StoreAdmission
package import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreWire
import Synchronization

/// Answers a dispatch when the Core has completed it. Subclasses answer calls of use cases,
/// notifications, and requests that begin or end a session.
///
/// The Core's thread completes the ticket after the commit, and wakes the event loop once for the
/// whole batch. The ticket only stores the result: the event loop's thread writes the answer.
class DispatchTicket: Completion, @unchecked Sendable {
    // Safety: the thread that completes the exchange writes `applied` before the completion. The
    // event loop's thread reads `applied` afterwards. The lock of the loop's queue orders the two
    // accesses.

    /// The maximum number of seconds that a client may wait for the effects of an action.
    static let waitSecondsMax = ClientWait.secondsMax

    let exchange: HTTPExchange
    let id: RequestID
    let store: Store
    let preferences: Preferences
    let caller: Caller
    let hasActionArray: Bool
    /// True if the caller sees the modules of the actions. The caller may then get the values of
    /// the actions' effects.
    let seesModules: Bool
    /// The hidden modules that the caller has dispatched to, or the module whose use case the
    /// caller calls. The caller may read the reason if an effect of these modules fails.
    let addressedModules: [String]
    /// The count of the action's running effects; `nil` if the client does not wait for them.
    let watch: EffectWatch?
    /// True for a request about the outcome of an earlier dispatch.
    let isOutcomeQuery: Bool
    /// The access that must stay valid while a request about an outcome waits. `nil` for a
    /// dispatch: the dispatch is answered even if the request's credential ends meanwhile.
    let access: AccessLease?
    /// The hold that keeps the client's session alive while the client waits.
    let hold: SessionHold?
    /// True if a waiting request was answered, at the end of the effects or when its wait expired.
    let isAnswered = Atomic(false)
    final var appliedAnswer = AppliedAnswer.pending

    init(
        request: RequestContext,
        store: Store,
        preferences: Preferences,
        hasActionArray: Bool = false,
        caller: Caller,
        seesModules: Bool = true,
        addressedModules: [String] = [],
        watch: EffectWatch? = nil,
        isOutcomeQuery: Bool = false,
        access: AccessLease? = nil
    ) {
        exchange = request.exchange
        id = request.id
        self.store = store
        self.preferences = preferences
        self.hasActionArray = hasActionArray
        self.caller = caller
        self.seesModules = seesModules
        self.addressedModules = addressedModules
        self.watch = watch
        self.isOutcomeQuery = isOutcomeQuery
        self.access = access
        hold = preferences.waitSeconds == nil ? nil : store.hold(caller.session)
    }

    /// Makes the ticket of a request about the outcome of a dispatch. The ticket hides no data: the
    /// dispatch has only data that its sender may read.
    convenience init(
        _ request: RequestContext,
        store: Store,
        about dispatch: PendingDispatch,
        caller: Caller
    ) throws(Problem) {
        self.init(
            request: request,
            store: store,
            preferences: Preferences(
                returnForm: dispatch.returnsState ? .representation : nil,
                waitSeconds: request.preferences.waitSeconds
            ),
            hasActionArray: dispatch.hasActionArray,
            caller: caller,
            isOutcomeQuery: true,
            access: try request.accessLease()
        )
    }

    /// Offers the envelope of the parked request to the Core. If the mailbox is full or closed,
    /// answers with a problem.
    final func offer(_ envelope: Envelope) {
        do {
            try store.engine.offer(envelope, wakes: false)
            store.noteOffer()
        } catch {
            answerFailure(
                error.problem(
                    detailIfFull: "\(store.bounds.mailboxActionsMax) actions wait already"
                )
            )
            store.wakeLoop()
        }
    }

    final func complete(_ outcome: Outcome) {
        switch outcome {
        case .applied(let first, let last, let changed, _):
            answerOrAwaitEffects(
                AppliedAnswer(firstVersion: first, lastVersion: last, hasVisibleChange: changed)
            )
        case .dryRun(let dryRun): answerDryRun(dryRun)
        case .replayed(let kept): answerAgain(kept)
        case .refused, .versionMismatch, .keyTaken, .failed, .cancelled:
            answerFailure(problem(of: outcome))
        }
    }

    /// Answers an applied request, or waits for its effects.
    func answerOrAwaitEffects(_ answer: AppliedAnswer) {
        guard let watch else {
            // An envelope that asks for the state ends its batch. So the envelope's version is
            // already published.
            return answerApplied(answer)
        }
        waitForEffects(watch, answer)
    }

    /// Answers a request that has failed. If `problem` is `nil`, actions may have been applied, and
    /// any answer could be false. In this case, the connection ends without an answer, so that the
    /// client treats the outcome as unknown.
    func answerFailure(_ problem: Problem?) {
        if let problem { answer(problem) } else { exchange.abandon() }
    }

    /// True if the caller may read the reason of a refusal, and the pointer to the refused value.
    ///
    /// A module's reason is meant for every caller that may dispatch the action. A reason from an
    /// interceptor, or from a reducer of the whole state, may name any part of the state.
    func mayRead(_ refusal: Refusal, of member: Int) -> Bool {
        !refusal.isByWholeState || !reader.isFiltered(for: caller)
    }

    /// Returns the pointer to the refused value in the client's body. `pointer` leads into the
    /// payload of the action at the index `member`.
    func pointer(_ pointer: String?, into member: Int) -> String? {
        guard hasActionArray else { return pointer.map { "/payload" + $0 } }
        return "/\(member)" + (pointer.map { "/payload" + $0 } ?? "")
    }

    var reader: StateReader { store.reader }

    final func answer(_ problem: Problem) { exchange.complete(store.response(problem, for: id)) }

    /// True if the answer includes the state after the action.
    var returnsState: Bool { preferences.prefersRepresentation }

    /// Repeats the answer to the first request with the same idempotency key.
    private func answerAgain(_ kept: KeptOutcome) {
        var answer = AppliedAnswer(
            firstVersion: kept.firstVersion,
            lastVersion: kept.lastVersion,
            hasVisibleChange: kept.changed
        )
        answer.isRepeated = true
        if watch != nil,
            let dispatch = store.outcomes.rememberedDispatch(kept.lastVersion, for: caller)
        {
            return answerAtEnd(of: dispatch, isReplayed: true)
        }
        answer.isEffectResultKnown = false
        guard returnsState, reader.version != kept.lastVersion else { return answerApplied(answer) }
        let submitted = reader.threads.pastStates.submit { [self, answer] in
            // If the state of that version is no longer available, the answer has no state.
            if let past = try? reader.state(at: kept.lastVersion, for: caller) {
                exchange.complete(response(answer, with: past))
            } else {
                complete(answer)
            }
            store.wakeLoop()
        }
        if !submitted { complete(answer) }
    }

    final func complete(_ answer: consuming AppliedAnswer) {
        appliedAnswer = answer
        exchange.complete(self)
    }

    /// Compares the old and the new state on another thread: a dry run must not delay real actions.
    private func answerDryRun(_ run: DryRun) {
        let isTaken = reader.threads.dryRuns.submit { [self] in
            exchange.complete(response(to: run))
            store.wakeLoop()
        }
        if !isTaken { answer(.overloaded("too many dry runs are being compared already")) }
    }

    private func response(to run: DryRun) -> HTTPResponse {
        do {
            let patch = try reader.patch(of: run, for: caller)
            var body = Array("{\"changed\":\(run.changed),\"patch\":".utf8)
            patch.withUnsafeBytes { body += $0 }
            body.append(UInt8(ascii: "}"))
            return .uncached(body)
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
        writer.status = appliedAnswer.isCompleted ? 200 : 202
        writer.add(AppliedAnswer.fields)
        let tag = reader.tagPrefix
        writer.add("ETag") { field in
            tag.withUnsafeBufferPointer { field.raw($0) }
            field.decimal(appliedAnswer.stateVersion ?? appliedAnswer.lastVersion)
            field.byte(UInt8(ascii: "\""))
        }
        let wait =
            appliedAnswer.isEffectResultKnown
            ? preferences.waitSeconds.map { min($0, Self.waitSecondsMax) } : nil
        let returned = returnsState && appliedAnswer.state == nil ? nil : preferences.returnForm
        if returned != nil || wait != nil,
            let text = Preferences.appliedHeaderValue(returned: returned, waitSeconds: wait)
        {
            writer.add("Preference-Applied", text)
        }
        if appliedAnswer.isRepeated { writer.add("Idempotency-Replayed", "true") }
        if !appliedAnswer.isCompleted {
            writer.add("Location", store.links.outcome(appliedAnswer.lastVersion))
            writer.add("Retry-After", "1")
        }
        let showsEnd = wait != nil || isOutcomeQuery || appliedAnswer.isOfCallOrNotification
        writeBody(to: &writer, includesCompletion: showsEnd)
    }
}

// Problems

extension DispatchTicket {
    /// Returns the problem for a request that has failed; `nil` if actions may have been applied.
    /// All requests that the Core completes get their problems from this function.
    func problem(of outcome: Outcome) -> Problem? {
        switch outcome {
        case .refused(let refusal, let member):
            let isReadable = mayRead(refusal, of: member)
            let reason = isReadable ? refusal.reason : Refusal.hiddenReasonText
            if refusal.isForbidden { return .forbidden(reason) }
            let pointer = pointer(isReadable ? refusal.pointer : nil, into: member)
            return .refused(reason: reason, pointer: pointer)
        case .versionMismatch(let current):
            return .versionMismatch(current: Tag(epoch: reader.epoch, version: current))
        case .keyTaken: return .idempotencyMismatch()
        case .failed(let failure): return failure.problem
        case .cancelled, .applied, .replayed, .dryRun: return nil
        }
    }
}

extension CoreFailure {
    /// The problem for a request that the Core could not apply; `nil` if actions may have been
    /// applied.
    fileprivate var problem: Problem? {
        switch self {
        case .storageFull: .storageFull()
        case .journalFailed: .journalFailed()
        case .journalUnreadable:
            .overloaded("the journal can't be read; the server's own log has the reason")
        case .contended:
            .overloaded(
                "other servers of this history were faster to append "
                    + "actions, too many times"
            )
        case .outcomeUnknown: nil
        }
    }
}

extension MailboxError {
    /// Makes the problem for a request that the mailbox did not take. `detailIfFull` is the detail
    /// of the problem if the mailbox is full.
    func problem(detailIfFull: String) -> Problem {
        switch self {
        case .full: .overloaded(detailIfFull)
        case .closed: .draining()
        }
    }
}

extension Refusal {
    /// The text that replaces a reason if the client may not read the reason.
    package static let hiddenReasonText = "The store refuses this."
}
