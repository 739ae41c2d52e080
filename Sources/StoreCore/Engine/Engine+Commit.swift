import Dispatch

extension Engine {
    /// Makes the batch durable and lets out what it has: to readers, observers and dispatchers.
    func commit() {
        guard !batch.isEmpty else { return }
        if batch.actions > 0, let sink = configuration.sink {
            do {
                try sink.prepare(state, through: version)
            } catch {
                refuse(because: error)
                return
            }
        }
        if let journal = configuration.journal, !batch.records.isEmpty {
            do {
                try journal.append(
                    JournalBatch(records: batch.records, outcomes: Array(batch.kept.values)),
                    at: batch.base
                )
            } catch {
                rollBack(after: error)
                return
            }
            if let appended = configuration.appended {
                appended(version, batch.records.reduce(0) { $0 + $1.bytes })
            }
        }
        let done = batch
        batch.restart(at: version)
        if done.actions > 0 {
            configuration.sink?.committed(state, through: version, for: done.audience)
        }
        if done.applied.count > 0 { configuration.applied?(done.applied) }
        for run in done.afterCommit { run() }
        // Before the completions, so that whoever waits for effects finds them begun.
        if let runner = configuration.effects {
            for (effect, cause) in done.effects { effect.launch(runner, cause) }
        }
        settling = done.watches.isEmpty ? nil : EffectWatch(following: done.watches)
        if done.hasChanged || configuration.hasNews?() == true {
            configuration.settled?(state, done.audience)
        }
        for (action, source) in done.reactions { dispatchOwn(action, from: source) }
        settling = nil
        for state in done.observed { notify(state) }
        for (envelope, outcome) in done.outcomes { complete(envelope.completion, outcome) }
        configuration.sink?.completed()
    }

    /// Forgets a batch whose last state can't be shown, and works its envelopes one by one: the one
    /// that is at fault is refused, and the others are applied.
    ///
    /// Middleware sees the actions again, as it does whenever a batch was forgotten.
    private func refuse(because error: any Error) {
        let done = takeBack()
        if done.outcomes.count == 1, let (envelope, _) = done.outcomes.first {
            complete(envelope.completion, .refused(Refusal(error), member: 0))
            configuration.sink?.completed()
            return
        }
        for (envelope, _) in done.outcomes {
            run(envelope)
            commit()
        }
    }

    /// Forgets the batch: nothing of it was made durable, or nobody knows.
    private func rollBack(after error: JournalError) {
        let failure: CoreFailure = error == .storageFull ? .storageFull : .unknown
        let done = takeBack()
        if failure == .unknown {
            hasFailed = true
            configuration.failed(error)
        }
        for (envelope, outcome) in done.outcomes {
            // A refusal or a mismatch was reckoned from states that never came to be.
            complete(envelope.completion, done.actions > 0 ? .failed(failure) : outcome)
        }
        configuration.sink?.completed()
    }

    /// Goes back to where the batch began, and answers what it was.
    private func takeBack() -> Batch<State> {
        let done = batch
        if let base = done.baseState { state = base }
        version = done.base
        batch.restart(at: version)
        configuration.sink?.rolledBack()
        configuration.takenBack?()
        return done
    }

    private func complete<C: Completion<State>>(_ completion: C, _ outcome: Outcome<State>) {
        completion.complete(outcome)
    }

    /// Tells every observer, in the order of subscription.
    @inline(__always)
    func notify(_ state: State) {
        for subscription in observers where subscription.isActive {
            deliver(state, to: subscription)
        }
    }

    @inline(__always)
    private func deliver(_ state: State, to subscription: Subscription<(State) -> Void>) {
        if let queue = subscription.queue {
            queue.async {
                if subscription.isActive { subscription.handler(state) }
            }
        } else {
            subscription.handler(state)
        }
    }

    /// Lets an observer in: it hears the state as it is, and then all that comes.
    func add(observer: Subscription<(State) -> Void>) {
        guard observer.isActive else { return }
        observers.append(observer)
        deliver(state, to: observer)
    }

    func remove(observer: Subscription<(State) -> Void>) {
        observers.removeAll { $0 === observer }
    }

    func add(middleware added: Subscription<Middleware<State>>) {
        if added.isActive { middleware.append(added) }
    }

    func remove(middleware removed: Subscription<Middleware<State>>) {
        middleware.removeAll { $0 === removed }
    }
}
