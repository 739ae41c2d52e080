import StorePlatform
import Synchronization

extension EffectRunner {
    /// The running effects, the oldest first.
    package var running: [EffectToken] {
        table.withLock { $0.running.tokens }.sorted { $0.cause.version < $1.cause.version }
    }

    /// The number of running effects.
    package var runningCount: Int { table.withLock { $0.running.count } }

    /// Cancels the effects with this id that work for slices of a session; `nil` means shared
    /// slices. Returns `true` if there were any. Any thread may call this.
    @discardableResult
    package func cancel(id: String, of session: String? = nil) -> Bool {
        cancel { $0.tokens(id: id, of: session) }
    }

    /// Cancels the effects with this id in all sessions. Returns `true` if there were any. Any
    /// thread may call this. Cost: one step for each running effect.
    package func cancelEverywhere(id: String) -> Bool {
        cancel { $0.tokens.filter { $0.id.isSame(as: id) } }
    }

    /// Cancels the effects with this id that work for a slice.
    func cancel(_ id: String, at address: SliceAddress) {
        cancel(id: address.path + "/" + id, of: address.key.session)
    }

    /// Cancels the effects that `effect` cancels when it begins. Another engine does the work of
    /// `effect`.
    func cancelOnly<State>(_ effect: Effect<State>, at address: SliceAddress) {
        switch effect.form {
        case .none, .concatenate: break
        case .run(let run):
            if run.cancelInFlight, let id = run.id { cancel(id, at: address) }
        case .merge(let effects): for effect in effects { cancelOnly(effect, at: address) }
        case .cancel(let id): cancel(id, at: address)
        case .endSession(let session): cancel(session: session)
        }
    }

    /// Cancels all effects that work for a slice; without an instance, also for all instances of
    /// the module.
    func cancel(all address: SliceAddress) {
        cancel { $0.tokens(of: address) }
    }

    /// Cancels all effects that follow actions of this session.
    func cancel(session: String) {
        cancel { $0.tokens(ofSession: session) }
    }

    /// Cancels the effects that this watch waits for: the effects of its actions, and of the
    /// actions that they dispatch. Effects that begin later are cancelled, too. The consequences of
    /// presenters and reactions continue. Any thread may call this.
    package func cancel(all watch: EffectWatch) {
        watch.cancel()
        cancel { $0.tokens(near: watch).filter { $0.cause.watch?.isCancelled == true } }
    }

    /// Cancels all running effects.
    package func cancelAll() {
        cancel { $0.tokens }
    }

    /// Cancels all running effects, and begins no effect from now on.
    package func stop() {
        table.withLock { $0.isStopped = true }
        cancelAll()
    }

    /// Waits until no effect runs.
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
    private func cancel(_ meant: (RunningEffects) -> [EffectToken]) -> Bool {
        let tokens = table.withLock { meant($0.running).filter { !$0.isCancelled } }
        for token in tokens.sorted(by: { $0.number < $1.number }) { token.cancel() }
        return !tokens.isEmpty
    }
}
