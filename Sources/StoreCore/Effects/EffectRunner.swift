import StorePlatform
package import StoreTraces
package import Synchronization

/// The object that runs effects as tasks. No other object makes tasks of effects.
///
/// Tasks begin on the thread that does the Core's work, in the order of the actions that they
/// follow. The tasks run on the threads of the executor, or on Swift's own threads.
package final class EffectRunner: Sendable {
    /// The maximum number of effects that run at the same time. A further effect fails at once.
    package static let runningMax = 10_000

    private struct Connection: Sendable { weak var engine: Engine? }

    struct Status: Sendable {
        var running = RunningEffects()
        var begunCount = 0
        var isStopped = false
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    let dependencies: Dependencies
    let executor: (any TaskExecutor)?
    let onFailure: @Sendable (EffectToken, any Error) -> Void
    let onBegin: @Sendable (EffectToken) -> Void
    let onEnd: @Sendable (EffectToken, _ nanoseconds: UInt64) -> Void
    let onRetry: @Sendable (EffectToken) -> Void
    /// The recorder of the effects' spans; `nil` if no traces are exported.
    let tracing: StoreTracing?
    private let connection = Locked(Connection())
    let status = Locked(Status())
    /// The number of refused effects since the start: ``runningMax`` effects ran already, or the
    /// store was stopping.
    package let refusedCount = Atomic<UInt64>(0)

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - dependencies: the services of the outside world for the effects.
    ///   - executor: the threads of the effects; `nil` means Swift's own threads.
    ///   - tracing: records the spans of the effects.
    ///   - onFailure: receives each effect whose last try threw, with the error.
    ///   - onBegin: receives each effect that begins.
    ///   - onEnd: receives each effect that has ended in any way, with its duration.
    ///   - onRetry: receives each effect that is tried again.
    package init(
        dependencies: Dependencies,
        executor: (any TaskExecutor)? = nil,
        tracing: StoreTracing? = nil,
        onFailure: @escaping @Sendable (EffectToken, any Error) -> Void = { _, _ in },
        onBegin: @escaping @Sendable (EffectToken) -> Void = { _ in },
        onEnd: @escaping @Sendable (EffectToken, _ nanoseconds: UInt64) -> Void = { _, _ in },
        onRetry: @escaping @Sendable (EffectToken) -> Void = { _ in }
    ) {
        self.dependencies = dependencies
        self.executor = executor
        self.tracing = tracing
        self.onFailure = onFailure
        self.onBegin = onBegin
        self.onEnd = onEnd
        self.onRetry = onRetry
    }

    /// Connects the runner to the engine. The Core calls this function before the first action.
    func connect(_ engine: Engine) { connection.withLock { $0.engine = engine } }

    /// The engine; `nil` after the engine was released.
    var engine: Engine? { connection.withLock { $0.engine } }
}

/// The error of an effect that did not begin: the bound is reached, or the store is stopping.
package struct RefusedEffect: Error, CustomStringConvertible {
    package var description: String {
        "\(EffectRunner.runningMax) effects run already, or the store is stopping"
    }
}

extension EffectRunner {
    /// The running effects, the oldest first.
    package var runningEffects: [EffectToken] {
        status.withLock { $0.running.tokens }.sorted { $0.cause.version < $1.cause.version }
    }

    package var runningCount: Int { status.withLock { $0.running.count } }

    /// Cancels the effects with this id that work for slices of an owner; `nil` means shared
    /// slices. Returns `true` if an effect was cancelled. Any thread may call this function.
    @discardableResult
    package func cancel(id: String, of owner: String? = nil) -> Bool {
        cancel { $0.tokens(id: id, of: owner) }
    }

    /// Cancels the effects with this id for all owners. Returns `true` if an effect was cancelled.
    /// Any thread may call this function. Cost: linear in the number of running effects.
    package func cancelEverywhere(id: String) -> Bool {
        cancel { $0.tokens.filter { $0.id.isSame(as: id) } }
    }

    func cancel(_ id: String, at address: SliceAddress) {
        cancel(id: address.path + "/" + id, of: address.key.owner)
    }

    /// Cancels the effects that `effect` is to cancel, and begins no work, because another engine
    /// runs `effect`.
    func performCancellations<State>(of effect: Effect<State>, at address: SliceAddress) {
        switch effect.kind {
        case .none, .timer, .concatenate: break
        case .run(let run):
            if run.cancelInFlight, let id = run.id { cancel(id, at: address) }
        case .merge(let effects):
            for effect in effects { performCancellations(of: effect, at: address) }
        case .cancel(let id): cancel(id, at: address)
        case .endSession(let session): cancel(session: session)
        case .endUser(let principal): cancel(principal: principal)
        }
    }

    /// Cancels all effects that work for a slice. An address without an instance includes all
    /// instances of the module.
    func cancelAll(of address: SliceAddress) { cancel { $0.tokens(of: address) } }

    func cancel(session: String) { cancel { $0.tokens(ofSession: session) } }

    func cancel(principal: String) { cancel { $0.tokens(ofPrincipal: principal) } }

    /// Cancels the effects that this watch waits for: the effects of its actions, and of the
    /// actions that these effects dispatch. Effects that begin later are cancelled, too. The
    /// consequences of presenters and reactions continue. Any thread may call this function.
    package func cancelAll(awaitedBy watch: EffectWatch) {
        watch.cancel()
        cancel { $0.tokens(ofRequestOf: watch).filter { $0.cause.watch?.isCancelled == true } }
    }

    package func cancelAll() { cancel { $0.tokens } }

    /// Cancels all running effects, and begins no effect from now on.
    package func stop() {
        status.withLock { $0.isStopped = true }
        cancelAll()
    }

    package func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = status.withLock { status -> Bool in
                if status.running.isEmpty { return true }
                status.idleWaiters.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    @discardableResult
    private func cancel(_ meant: (RunningEffects) -> [EffectToken]) -> Bool {
        let tokens = status.withLock { meant($0.running).filter { !$0.isCancelled } }
        for token in tokens.sorted(by: { $0.number < $1.number }) { token.cancel() }
        return !tokens.isEmpty
    }
}

extension EffectRunner {
    /// Records the span of an effect that has ended. The span has neither the effect's id nor the
    /// text of the error, because the id and the text may have data of clients.
    func record(
        _ span: Span.Identity,
        of token: EffectToken,
        _ result: Result<any Sendable, any Error>
    ) {
        guard let tracing else { return }
        let ended = SpanTime.now
        let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
        let outcome =
            token.isCancelled || error?.isCancellation == true
            ? "cancelled" : error == nil ? "done" : "failed"
        var attributes = tracing.attributes
        attributes += [
            .init("store.module", token.address.module),
            .init("store.action.type", token.cause.wireNameTemplate),
            .init("store.cause.version", token.cause.version), .init("store.outcome", outcome),
        ]
        let isError = outcome == "failed"
        if isError, let error {
            let kind: any Error = error.refusal ?? error
            attributes.append(.init("error.type", "\(type(of: kind))"))
        }
        tracing.tracer.record(
            Span(
                span,
                .internal,
                "effect \(token.cause.wireNameTemplate)",
                from: SpanTime(steady: ended.steadyNanoseconds &- token.elapsedNanoseconds),
                to: ended,
                attributes,
                isError: isError
            )
        )
    }
}
