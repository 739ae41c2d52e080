import StorePlatform
import StoreTraces
import Synchronization

extension EffectRunner {
    /// Begins an effect. The thread that does the Core's work calls this function after the commit.
    func launch<State: Sendable>(_ effect: Effect<State>, _ origin: EffectOrigin<State>) {
        switch effect.kind {
        case .none, .timer: break
        case .run(let run): _ = start(run, origin)
        case .merge(let effects): for effect in effects { launch(effect, origin) }
        case .concatenate(let effects):
            let row = Effect<State>.Run { [self] _ in
                for effect in effects { try await perform(effect, origin) }
                return ()
            }
            _ = start(row, origin)
        case .cancel(let id): cancel(id, at: origin.address)
        case .endSession(let session): cancel(session: session)
        case .endUser(let principal): cancel(principal: principal)
        }
    }

    /// Begins an effect that has an entry in the ledger, and removes the entry when all tasks of
    /// the effect have ended. The removal does not wait for the consequences of the effect's
    /// actions. Otherwise the entry of an effect that leads to a further effect would stay until
    /// the further effect ends.
    ///
    /// If a task of the effect does not begin because ``runningMax`` effects run already, the entry
    /// stays.
    func launchDurable<State: Sendable>(_ effect: Effect<State>, _ origin: EffectOrigin<State>) {
        let cause = origin.cause
        let watch = EffectWatch(within: cause.watch, sharing: .everything)
        var own = origin
        own.cause.watch = watch
        // A client that waits for the action also waits for the removal of the entry.
        cause.watch?.begin()
        launch(effect, own)
        watch.whenDone { [self, weak watch] _ in
            // An effect that a stopping server interrupts has not ended, so its entry stays in the
            // ledger. The entry of an effect that did not begin stays as well. The next start of
            // the store finds both entries.
            defer { cause.watch?.end() }
            guard watch?.hasRefusedEffect == false, !status.withLock({ $0.isStopped }), let engine
            else {
                return
            }
            let ended = PendingEffects.Internal.ended(version: cause.version)
            let source = cause.makeActionSource("StoreCore/effects", nil, cause.watch)
            engine.dispatchProgramAction(ended, from: source)
        }
    }

    /// Runs an effect as a part of another effect, and waits until the part has ended.
    private func perform<State: Sendable>(
        _ effect: Effect<State>,
        _ origin: EffectOrigin<State>
    ) async throws {
        switch effect.kind {
        case .run(let run):
            try Task.checkCancellation()
            guard let task = start(run, origin) else { throw RefusedEffect() }
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            _ = try result.get()
        case .merge(let effects):
            try await withThrowingTaskGroup(of: Void.self) { group in
                for effect in effects { group.addTask { try await self.perform(effect, origin) } }
                try await group.waitForAll()
            }
        case .concatenate(let effects): for effect in effects { try await perform(effect, origin) }
        case .none, .cancel, .timer, .endSession, .endUser: launch(effect, origin)
        }
    }

    private func start<State: Sendable>(
        _ run: Effect<State>.Run,
        _ origin: EffectOrigin<State>
    ) -> Task<Result<any Sendable, any Error>, Never>? {
        let (address, cause) = (origin.address, origin.cause)
        if run.cancelInFlight, let id = run.id { cancel(id, at: address) }
        let path = address.path + "/"
        let span = tracing?.tracer.beginInnerSpan(within: cause.trace)
        let token = status.withLock { status -> EffectToken? in
            guard status.running.count < Self.runningMax, !status.isStopped else { return nil }
            status.begunCount += 1
            let token = EffectToken(
                address: address,
                id: path + (run.id ?? "\(cause.version).\(status.begunCount)"),
                cause: cause,
                number: status.begunCount,
                span: span
            )
            status.running.insert(token)
            return token
        }
        guard let token else {
            refusedCount.add(1, ordering: .relaxed)
            cause.watch?.countRefusedEffect()
            return nil
        }
        cause.watch?.begin()
        onBegin(token)
        // A cancellation sets the flag of the watch, and then cancels the running effects. The
        // cancellation therefore either finds this effect among the running effects, or has already
        // set the flag.
        if cause.watch?.isCancelled == true { token.cancel() }
        let context = EffectContext<State>(
            dependencies: dependencies,
            token: token,
            runner: self,
            readSlice: origin.readSlice
        )
        let task = Task<Result<any Sendable, any Error>, Never>(executorPreference: executor) {
            [self] in
            let result =
                if let trace = token.trace {
                    await SpanContext.$currentTraceparent.withValue(trace) {
                        await runWithRetries(run, context)
                    }
                } else {
                    await runWithRetries(run, context)
                }
            end(token, result)
            return result
        }
        token.attach(task)
        return task
    }

    private func runWithRetries<State: Sendable>(
        _ run: Effect<State>.Run,
        _ context: EffectContext<State>
    ) async -> Result<any Sendable, any Error> {
        var attempt = 0
        var quietTime = run.quietTime
        while true {
            do {
                if let time = quietTime {
                    try await context.sleep(for: time)
                    quietTime = nil
                }
                return .success(try await run.body(context))
            } catch {
                attempt += 1
                guard attempt <= run.retry.attempts, !context.token.isCancelled,
                    !error.isCancellation
                else { return await recover(run, from: error, context) }
                do {
                    try await context.sleep(for: run.retry.pause(before: attempt))
                } catch {
                    return .failure(error)
                }
                onRetry(context.token)
            }
        }
    }

    /// Returns the result of an effect whose last try failed: the error, or the result of
    /// dispatching the action that `recovery` makes from the error.
    private func recover<State: Sendable>(
        _ run: Effect<State>.Run,
        from error: any Error,
        _ context: EffectContext<State>
    ) async -> Result<any Sendable, any Error> {
        guard let recovery = run.recovery, !context.token.isCancelled,
            !error.isCancellation
        else { return .failure(error) }
        do {
            guard let action = recovery.make(error) else { return .failure(error) }
            try await context.dispatch(action, file: recovery.file, line: recovery.line)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func end(_ token: EffectToken, _ result: Result<any Sendable, any Error>) {
        let idle = status.withLock { status -> [CheckedContinuation<Void, Never>] in
            status.running.remove(token)
            guard status.running.isEmpty else { return [] }
            defer { status.idleWaiters = [] }
            return status.idleWaiters
        }
        if case .failure(let error) = result, !token.isCancelled { onFailure(token, error) }
        onEnd(token, token.elapsedNanoseconds)
        if let span = token.span { record(span, of: token, result) }
        token.cause.watch?.end(
            token.isCancelled ? .failure(CancellationError()) : result,
            of: token.address
        )
        for continuation in idle { continuation.resume() }
    }
}
