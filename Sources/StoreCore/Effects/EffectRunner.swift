import Locks
import Synchronization

/// Performs effects: the one place where what modules ask for becomes tasks.
///
/// Tasks are begun on the Core's thread, in the order of the actions they follow; they run on Swift's
/// own threads.
package final class EffectRunner: Sendable {
    /// The most effects that run at a time; one more fails at once.
    package static let runningMax = 10_000

    /// How effects reach the Core; set before the first action.
    package struct Ports: Sendable {
        /// The root state as it is now.
        package var state: @Sendable () async -> any Sendable
        /// Hands an action over; answers its version, once it is durable.
        package var submit: @Sendable (any Action, ActionSource) async throws -> UInt64
        /// Hands an action over, which is not refused, and goes on. The source's watch was begun for
        /// it, and ends with it.
        package var dispatch: @Sendable (any Action, ActionSource) -> Void
        /// Whether an action belongs to the module of this name.
        package var isOwn: @Sendable (any Action, String) -> Bool
        /// The newest version; called on the Core's thread.
        package var version: @Sendable () -> UInt64

        package init(
            state: @escaping @Sendable () async -> any Sendable,
            submit: @escaping @Sendable (any Action, ActionSource) async throws -> UInt64,
            dispatch: @escaping @Sendable (any Action, ActionSource) -> Void,
            isOwn: @escaping @Sendable (any Action, String) -> Bool,
            version: @escaping @Sendable () -> UInt64
        ) {
            self.state = state
            self.submit = submit
            self.dispatch = dispatch
            self.isOwn = isOwn
            self.version = version
        }
    }

    private struct Table: Sendable {
        var running: [ObjectIdentifier: EffectToken] = [:]
        var begun = 0
        var isStopped = false
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    private let dependencies: Dependencies
    private let executor: (any TaskExecutor)?
    private let failed: @Sendable (EffectToken, any Error) -> Void
    private let ended: @Sendable (EffectToken, _ nanoseconds: UInt64) -> Void
    private let ports = Locked<Ports?>(nil)
    private let table = Locked(Table())

    /// - Parameters:
    ///   - executor: runs the effects; where there is none, Swift's own threads do.
    ///   - failed: hears of every effect that threw, for good.
    ///   - ended: hears of every effect that ended, however, and how long it took.
    package init(
        dependencies: Dependencies,
        executor: (any TaskExecutor)? = nil,
        failed: @escaping @Sendable (EffectToken, any Error) -> Void = { _, _ in },
        ended: @escaping @Sendable (EffectToken, _ nanoseconds: UInt64) -> Void = { _, _ in }
    ) {
        self.dependencies = dependencies
        self.executor = executor
        self.failed = failed
        self.ended = ended
    }

    package func connect(_ ports: Ports) {
        self.ports.withLock { $0 = ports }
    }
}

// What contexts ask for

extension EffectRunner {
    func state() async -> any Sendable {
        guard let ports = ports.withLock({ $0 }) else { return () }
        return await ports.state()
    }

    func dispatch(
        _ action: any Action,
        from token: EffectToken,
        origin: String,
        watch: EffectWatch? = nil
    ) async throws -> UInt64 {
        guard !token.isCancelled, let ports = ports.withLock({ $0 }) else {
            throw CancellationError()
        }
        var source = ActionSource(cause: token.cause.version, place: origin)
        source.token = token
        source.watch =
            watch ?? token.cause.watch.map { EffectWatch(within: $0, sharing: .failures) }
        return try await ports.submit(action, source)
    }

    /// Dispatches, and waits for what the effects of that action give.
    func value(
        of action: any Action,
        from token: EffectToken,
        origin: String
    ) async throws -> (any Sendable)? {
        let watch = EffectWatch(within: token.cause.watch, sharing: .nothing)
        _ = try await dispatch(action, from: token, origin: origin, watch: watch)
        return try await watch.result()
    }

    /// The newest version. On the Core's thread.
    var version: UInt64 { ports.withLock { $0 }?.version() ?? 0 }

    func isOwn(_ action: any Action, of module: String) -> Bool {
        ports.withLock { $0 }?.isOwn(action, module) ?? false
    }
}

// Beginning and ending

extension EffectRunner {
    /// Begins an effect. The Core's thread calls it, after the commit.
    func launch<State: Sendable>(
        _ effect: Effect<State>,
        at address: SliceAddress,
        _ cause: EffectCause,
        _ read: @escaping @Sendable (any Sendable) -> State?
    ) {
        switch effect.form {
        case .none: break
        case .run(let run): _ = start(run, at: address, cause, read)
        case .merge(let effects):
            for effect in effects { launch(effect, at: address, cause, read) }
        case .concatenate(let effects):
            let row = Effect<State>.Run(
                id: nil,
                cancelInFlight: false,
                retry: .never,
                onRestart: .lost
            ) { [self] _ in
                for effect in effects { try await perform(effect, at: address, cause, read) }
                return ()
            }
            _ = start(row, at: address, cause, read)
        case .cancel(let id): cancel(id: address.path + "/" + id)
        }
    }

    /// Begins an effect that is entered in the ledger, and strikes it off when all of it has ended.
    func launchKept<State: Sendable>(
        _ effect: Effect<State>,
        at address: SliceAddress,
        _ cause: EffectCause,
        _ read: @escaping @Sendable (any Sendable) -> State?
    ) {
        let watch = EffectWatch(within: cause.watch, sharing: .everything)
        let own = EffectCause(version: cause.version, watch: watch)
        // Striking off belongs to what follows the action.
        cause.watch?.begin()
        launch(effect, at: address, own, read)
        watch.whenDone { [self] _ in
            // What a stopping server cuts off has not ended: it stays in the ledger.
            guard !table.withLock({ $0.isStopped }), let ports = ports.withLock({ $0 }) else {
                cause.watch?.end()
                return
            }
            let ended = PendingEffects.Internal.ended(version: cause.version)
            var source = ActionSource(cause: cause.version, place: "StoreCore/effects")
            source.watch = cause.watch
            ports.dispatch(ended, source)
        }
    }

    /// Does an effect within another one, and waits for its end.
    private func perform<State: Sendable>(
        _ effect: Effect<State>,
        at address: SliceAddress,
        _ cause: EffectCause,
        _ read: @escaping @Sendable (any Sendable) -> State?
    ) async throws {
        switch effect.form {
        case .run(let run):
            try Task.checkCancellation()
            guard let task = start(run, at: address, cause, read) else { throw EffectLimit() }
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            _ = try result.get()
        case .merge(let effects):
            try await withThrowingTaskGroup(of: Void.self) { group in
                for effect in effects {
                    group.addTask { try await self.perform(effect, at: address, cause, read) }
                }
                try await group.waitForAll()
            }
        case .concatenate(let effects):
            for effect in effects { try await perform(effect, at: address, cause, read) }
        case .none, .cancel: launch(effect, at: address, cause, read)
        }
    }

    private func start<State: Sendable>(
        _ run: Effect<State>.Run,
        at address: SliceAddress,
        _ cause: EffectCause,
        _ read: @escaping @Sendable (any Sendable) -> State?
    ) -> Task<Result<any Sendable, any Error>, Never>? {
        let path = address.path + "/"
        if run.cancelInFlight, let id = run.id { cancel(id: path + id) }
        let token = table.withLock { table -> EffectToken? in
            guard table.running.count < Self.runningMax, !table.isStopped else { return nil }
            table.begun += 1
            let token = EffectToken(
                address: address,
                id: path + (run.id ?? "\(cause.version).\(table.begun)"),
                cause: cause
            )
            table.running[ObjectIdentifier(token)] = token
            return token
        }
        guard let token else {
            cause.watch?.begin()
            cause.watch?.end(.failure(EffectLimit()))
            return nil
        }
        cause.watch?.begin()
        let context = EffectContext<State>(
            dependencies: dependencies,
            token: token,
            runner: self,
            read: read
        )
        let task = Task<Result<any Sendable, any Error>, Never>(executorPreference: executor) {
            [self] in
            let result = await attempts(of: run, context)
            end(token, result)
            return result
        }
        token.began(task)
        return task
    }

    private func attempts<State: Sendable>(
        of run: Effect<State>.Run,
        _ context: EffectContext<State>
    ) async -> Result<any Sendable, any Error> {
        var attempt = 0
        while true {
            do {
                return .success(try await run.body(context))
            } catch {
                attempt += 1
                guard attempt <= run.retry.attempts, !context.token.isCancelled,
                    !(error is CancellationError)
                else { return .failure(error) }
                do {
                    try await context.sleep(for: run.retry.pause(before: attempt))
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    private func end(_ token: EffectToken, _ result: Result<any Sendable, any Error>) {
        let idle = table.withLock { table -> [CheckedContinuation<Void, Never>] in
            table.running[ObjectIdentifier(token)] = nil
            guard table.running.isEmpty else { return [] }
            defer { table.idle = [] }
            return table.idle
        }
        if case .failure(let error) = result, !token.isCancelled { failed(token, error) }
        ended(token, token.nanoseconds)
        token.cause.watch?.end(token.isCancelled ? .failure(CancellationError()) : result)
        for continuation in idle { continuation.resume() }
    }
}

// Cancelling

extension EffectRunner {
    /// The effects that run, the oldest first.
    package var running: [EffectToken] {
        table.withLock { Array($0.running.values) }.sorted { $0.cause.version < $1.cause.version }
    }

    /// How many effects run.
    package var runningCount: Int { table.withLock { $0.running.count } }

    /// Cancels what runs under this id. Answers whether anything did. Any thread.
    @discardableResult
    package func cancel(id: String) -> Bool {
        cancel { $0.id == id }
    }

    /// Cancels all that works for a slice, or for any instance of it.
    func cancel(all address: SliceAddress) {
        cancel {
            $0.address.module == address.module
                && (address.instance == nil || $0.address.instance == address.instance)
        }
    }

    /// Cancels everything that runs.
    package func cancelAll() {
        cancel { _ in true }
    }

    /// Cancels everything, and begins nothing any more.
    package func stop() {
        table.withLock { $0.isStopped = true }
        cancelAll()
    }

    /// Waits until nothing runs.
    package func untilIdle() async {
        await withCheckedContinuation { continuation in
            let isIdle = table.withLock { table -> Bool in
                if table.running.isEmpty { return true }
                table.idle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    @discardableResult
    private func cancel(where isMeant: (EffectToken) -> Bool) -> Bool {
        let tokens = table.withLock { $0.running.values.filter { !$0.isCancelled && isMeant($0) } }
        for token in tokens { token.cancel() }
        return !tokens.isEmpty
    }
}

/// As many effects run as may.
package struct EffectLimit: Error, CustomStringConvertible {
    package var description: String {
        "\(EffectRunner.runningMax) effects run already, or the store is stopping"
    }
}
