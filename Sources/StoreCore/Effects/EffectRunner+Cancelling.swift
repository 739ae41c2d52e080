import StorePlatform
import Synchronization

extension EffectRunner {
    /// The effects that run, the oldest first.
    package var running: [EffectToken] {
        table.withLock { $0.running.tokens }.sorted { $0.cause.version < $1.cause.version }
    }

    /// How many effects run.
    package var runningCount: Int { table.withLock { $0.running.count } }

    /// Cancels what runs under this id for a slice of the session; for shared slices where that is
    /// `nil`. Returns whether anything did. Any thread.
    @discardableResult
    package func cancel(id: String, of session: String? = nil) -> Bool {
        cancel { $0.tokens(id: id, of: session) }
    }

    /// Cancels what runs under an id of the slice's own.
    func cancel(_ id: String, at address: SliceAddress) {
        cancel(id: address.path + "/" + id, of: address.key.session)
    }

    /// Cancels what an effect cancels when it begins, of which another engine does the work.
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

    /// Cancels all that works for a slice, or for any instance of it.
    func cancel(all address: SliceAddress) {
        cancel { $0.tokens(of: address) }
    }

    /// Cancels all that works for a session alone.
    func cancel(session: String) {
        cancel { $0.tokens(ofSession: session) }
    }

    /// Cancels what this waits for, also what begins later: the effects of its actions, and of what
    /// those effects dispatch. What presenters and reactions make of it goes on. Any thread.
    package func cancel(all watch: EffectWatch) {
        watch.cancel()
        cancel { $0.tokens(near: watch).filter { $0.cause.watch?.isCancelled == true } }
    }

    /// Cancels everything that runs.
    package func cancelAll() {
        cancel { $0.tokens }
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
    private func cancel(_ meant: (RunningEffects) -> [EffectToken]) -> Bool {
        let tokens = table.withLock { meant($0.running).filter { !$0.isCancelled } }
        for token in tokens.sorted(by: { $0.number < $1.number }) { token.cancel() }
        return !tokens.isEmpty
    }
}
