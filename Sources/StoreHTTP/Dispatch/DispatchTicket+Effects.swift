import StoreActionCatalog
import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreWire
import Synchronization

extension DispatchTicket {
    /// Parks the request until the answer is complete. If the client waits and `cancelsOnClose` is
    /// true, suspends the request instead, and cancels the effects if the client leaves.
    ///
    /// Until the request is suspended, the transport does not detect that the client leaves. A
    /// parked request is suspended later, if its answer takes long.
    @inline(__always)
    final func park(cancelsOnClose: Bool) {
        guard cancelsOnClose, preferences.waitSeconds != nil, let watch else {
            return exchange.park()
        }
        exchange.suspend()
        exchange.whenClientLeaves { [effects = store.engine.effects] in
            effects?.cancelAll(awaitedBy: watch)
        }
    }

    /// Answers when all effects of the action have ended, or when the client has waited as long as
    /// it asked for (protocol 2.6).
    ///
    /// Most actions have no effects. The answer to an action without effects joins the other
    /// answers of its batch, without a timer.
    func waitForEffects(_ watch: EffectWatch, _ answer: AppliedAnswer) {
        guard !watch.isDone else {
            return watch.whenDone { [self] in answerResult(answer, effectsResult(of: $0)) }
        }
        answerAtEnd(of: pendingDispatch(watch, answer))
    }

    /// Answers at once that the work has begun, and remembers the dispatch for later requests.
    func answerAccepted(_ watch: EffectWatch, _ answer: AppliedAnswer) {
        var answer = answer
        answer.isCompleted = false
        store.outcomes.remember(pendingDispatch(watch, answer))
        answerApplied(answer)
    }

    /// Makes the pending dispatch that the answer is about. The dispatch ends when the watched
    /// effects have ended.
    private func pendingDispatch(_ watch: EffectWatch, _ answer: AppliedAnswer) -> PendingDispatch {
        var answer = answer
        answer.isCompleted = true
        let dispatch = PendingDispatch(
            answer,
            hasActionArray: hasActionArray,
            returnsState: returnsState,
            session: caller.session,
            principal: caller.recordedPrincipal
        )
        watch.whenDone { [self] in store.outcomes.endDispatch(dispatch, with: effectsResult(of: $0))
        }
        return dispatch
    }

    /// Answers when a dispatch ends, or when the client has waited as long as it asked for. In the
    /// second case, the dispatch is remembered for later requests about its outcome (protocol
    /// 2.11).
    func answerAtEnd(of dispatch: PendingDispatch, isReplayed: Bool = false) {
        var answer = dispatch.answer
        answer.isRepeated = isReplayed
        let givingUp: @Sendable () -> Void = { [self, answer] in
            dispatch.removeWaiter(of: self)
            answerOnce {
                store.outcomes.remember(dispatch)
                var answer = answer
                answer.isCompleted = false
                answerApplied(answer)
            }
        }
        let seconds = min(preferences.waitSeconds ?? 0, Self.waitSecondsMax)
        guard seconds > 0 else {
            dispatch.callAtEnd(for: self) { [self, answer] end in
                answerOnce { answerResult(answer, end) }
            }
            return givingUp()
        }
        let longest = access?.limitedSeconds(ofWait: Double(seconds)) ?? Double(seconds)
        let timer = store.schedule(after: longest, givingUp)
        store.outcomes.addWait(of: self, givingUp: givingUp)
        dispatch.callAtEnd(for: self) { [self, answer] end in
            timer?.cancel()
            answerOnce { answerResult(answer, end) }
        }
        if access?.isValid == false { givingUp() }
        // The timer of the client's wait may have fired before the ticket was added to the waiting
        // requests.
        if isAnswered.load(ordering: .acquiring) {
            dispatch.removeWaiter(of: self)
            store.outcomes.removeWait(of: self)
        }
    }

    /// Answers on the first call; later calls do nothing. The end of the effects and the timer of
    /// the client's wait may call this function simultaneously on two threads.
    private func answerOnce(_ answer: () -> Void) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        hold?.end()
        store.outcomes.removeWait(of: self)
        if let problem = access?.loggedProblem { self.answer(problem) } else { answer() }
        store.wakeLoop()
    }

    /// Answers with the result of the effects. If the client asked for the state, the answer has
    /// the newest state: the effects may have made later versions.
    private func answerResult(_ answer: AppliedAnswer, _ end: EffectsResult) {
        switch end {
        case .failed(let reason):
            var response = failureResponse(answer, reason)
            if answer.isRepeated { response.fields.append("Idempotency-Replayed", "true") }
            exchange.complete(response)
        case .succeeded(let value):
            var answer = answer
            answer.effectValue = value
            answerApplied(answer)
        }
    }

    private func failureResponse(_ answer: AppliedAnswer, _ reason: String) -> HTTPResponse {
        let tag = Tag(epoch: reader.epoch, version: answer.lastVersion)
        let problem: Problem =
            answer.isOfCallOrNotification
            ? .workFailed(recordedAs: tag, because: reason)
            : .effectFailed(of: tag, because: reason)
        return store.response(problem, for: id)
    }

    /// Returns the result of the effects as clients get it. The value is included if it has a JSON
    /// form. In addition, the caller has to see the modules of the actions, and has to read the
    /// slice of the effect.
    private func effectsResult(of result: Result<any Sendable, any Error>?) -> EffectsResult {
        switch result {
        case .failure(let error):
            .failed(reason: reason(of: error))
        case .success(let value as any Encodable & Sendable)
        where seesModules && readsSliceOfResult:
            .succeeded(value: try? store.encoder.encode(AnyEncodable(value)))
        case .success, nil: .succeeded(value: nil)
        }
    }

    /// True if the caller reads the slice of the effect that gave the result. The caller may have
    /// lost this slice since its action. The newest version is not older than any state that the
    /// effect has read.
    private var readsSliceOfResult: Bool {
        watch?.resultAddress.map { reader.isReadable($0, by: caller) } ?? true
    }

    /// Returns the text that clients get for an error of an effect: the reason of a refusal, or a
    /// text without a reason. The log has the error itself.
    ///
    /// The reason of a refusal may name data of the state. The caller gets the reason only if the
    /// caller reads the slice of the effect. In addition, the caller has to see the module of the
    /// effect, or must have dispatched to this module.
    private func reason(of error: any Error) -> String {
        if error.isCancellation { return "It was cancelled." }
        guard let refusal = error.refusal, readsSliceOfResult, mayReadReason(of: refusal) else {
            return "It failed; the server's log has the reason."
        }
        return refusal.reason
    }

    private func mayReadReason(of refusal: Refusal) -> Bool {
        guard reader.isFiltered(for: caller) else { return true }
        guard !refusal.isByWholeState, let module = watch?.resultAddress?.module else {
            return false
        }
        return caller.viewer.sees(module: module)
            || addressedModules.contains { $0.isSame(as: module) }
    }
}
