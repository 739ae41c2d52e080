import StorePlatform
package import StoreTraces
package import Synchronization

/// Performs effects: the one place where what modules ask for becomes tasks.
///
/// Tasks are begun on the Core's thread, in the order of the actions they follow; they run on
/// Swift's own threads.
package final class EffectRunner: Sendable {
    /// The most effects that run at a time; one more fails at once.
    package static let runningMax = 10_000

    struct Table: Sendable {
        var running = RunningEffects()
        var begun = 0
        var isStopped = false
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    let dependencies: Dependencies
    let executor: (any TaskExecutor)?
    let failed: @Sendable (EffectToken, any Error) -> Void
    let began: @Sendable (EffectToken) -> Void
    let ended: @Sendable (EffectToken, _ nanoseconds: UInt64) -> Void
    let retried: @Sendable (EffectToken) -> Void
    /// Records the spans of effects; `nil` where no traces are exported.
    let tracing: StoreTracing?
    private let access = Locked(EngineReference())
    let table = Locked(Table())
    /// Effects that did not begin because as many ran as may, since the start.
    package let refused = Atomic<UInt64>(0)

    /// Makes a runner whose effects run on `executor`, or on Swift's own threads where there is
    /// none, and whose spans are recorded by `tracing`. `failed` receives every effect that threw
    /// for good; `began` every one that begins, and `ended` every one of those when it has ended,
    /// however, and how long it took; `retried` each one that is tried again.
    package init(
        dependencies: Dependencies,
        executor: (any TaskExecutor)? = nil,
        tracing: StoreTracing? = nil,
        failed: @escaping @Sendable (EffectToken, any Error) -> Void = { _, _ in },
        began: @escaping @Sendable (EffectToken) -> Void = { _ in },
        ended: @escaping @Sendable (EffectToken, _ nanoseconds: UInt64) -> Void = { _, _ in },
        retried: @escaping @Sendable (EffectToken) -> Void = { _ in }
    ) {
        self.dependencies = dependencies
        self.executor = executor
        self.tracing = tracing
        self.failed = failed
        self.began = began
        self.ended = ended
        self.retried = retried
    }

    /// Lets effects reach the engine; called before the first action.
    package func connect(_ engine: any EngineAccess) {
        access.withLock { $0 = EngineReference(engine) }
    }

    /// The engine; `nil` once it is gone.
    var engine: (any EngineAccess)? { access.withLock { $0.engine } }
}

// What contexts ask for

extension EffectRunner {
    func state() async -> any Sendable {
        await engine?.read() ?? ()
    }

    /// The root state, read on behalf of the session that an effect works for.
    func root(for token: EffectToken) async -> any Sendable {
        await engine?.read(as: token.cause.session) ?? ()
    }

    func dispatch(
        _ action: any Action,
        from token: EffectToken,
        origin: String,
        watch: EffectWatch? = nil
    ) async throws -> UInt64 {
        guard !token.isCancelled, let engine else { throw CancellationError() }
        let source = source(token, origin, watch)
        if let foreign = engine.refuses(action, by: token.address.module, source) { throw foreign }
        return try await engine.submit(action, from: source)
    }

    /// Dispatches, and does not wait.
    func send(_ action: any Action, from token: EffectToken, origin: String) {
        guard !token.isCancelled, let engine else { return }
        let source = source(token, origin, nil)
        if engine.refuses(action, by: token.address.module, source) != nil { return }
        engine.dispatchProgramAction(action, from: source, applied: nil)
    }

    /// Sends a command to the screens of the session that the effect works for.
    func command(
        _ name: String,
        _ payload: (any Encodable & Sendable)?,
        from token: EffectToken,
        origin: String
    ) {
        guard !token.isCancelled, let engine else { return }
        let session = token.address.key.session ?? token.cause.session ?? SessionName.shared
        engine.command(ScreenCommand(name, payload, for: session), from: source(token, origin, nil))
    }

    private func source(
        _ token: EffectToken,
        _ origin: String,
        _ watch: EffectWatch?
    ) -> ActionSource {
        var source = ActionSource(cause: token.cause.version, place: origin)
        source.token = token
        source.session = token.cause.session
        source.principal = token.cause.principal
        source.trace = token.trace
        source.watch =
            watch
            ?? token.cause.watch?.ofDispatched.map { EffectWatch(within: $0, sharing: .failures) }
        return source
    }

    /// Dispatches, and waits for what the effects of that action give.
    func value(
        of action: any Action,
        from token: EffectToken,
        origin: String
    ) async throws -> (any Sendable)? {
        let watch = EffectWatch(within: token.cause.watch?.ofDispatched, sharing: .nothing)
        _ = try await dispatch(action, from: token, origin: origin, watch: watch)
        return try await watch.result()
    }

    func isOwn(_ action: any Action, of module: String) -> Bool {
        engine?.isOwn(action, of: module) ?? false
    }
}

/// As many effects run as may.
package struct EffectLimit: Error, CustomStringConvertible {
    package var description: String {
        "\(EffectRunner.runningMax) effects run already, or the store is stopping"
    }
}
