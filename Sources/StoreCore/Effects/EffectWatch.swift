import StorePlatform
import Synchronization

/// A signal for the end of all consequences of an action. The consequences are the action's
/// effects, the calls of observers, and the actions of effects, presenters and reactions, with the
/// consequences of these actions.
///
/// A watch is made only if a client waits. Effects begin before the action's own outcome is
/// delivered. If no effect and no observer runs after the delivery, all consequences have ended.
///
/// A watch may have a parent, which ends only after the watch. While work of a watch runs, the
/// watch adds exactly one to the count of its parent, for any amount of work. The beginning and the
/// end of an effect therefore cost the same at any depth of dispatched effects.
package final class EffectWatch: Sendable {
    private struct Status: Sendable {
        var runningCount = 0
        var result: Result<any Sendable, any Error>?
        /// The slice whose effect gave the result.
        var resultAddress: SliceAddress?
        var onDone: (@Sendable (Result<any Sendable, any Error>?) -> Void)?
    }

    /// The results that a watch shares with its parent.
    enum Sharing {
        /// Every result: this watch belongs to the same action as the parent.
        case everything
        /// Failures: an effect of the parent dispatched the action of this watch without waiting
        /// for a result.
        case failures
        /// No results: the parent only waits for the end of this watch.
        case nothing
    }

    // Safety: changed only when no other reference to the watch exists.
    private nonisolated(unsafe) var parent: EffectWatch?
    /// The outermost watch that contains this watch; `nil` if no watch contains it.
    private let outermost: EffectWatch?
    private let cancelled = Atomic(false)
    private let refused = Atomic(false)
    private let sharing: Sharing
    private let status = Locked(Status())

    init(within parent: EffectWatch?, sharing: Sharing) {
        self.parent = parent
        outermost = parent?.outermost ?? parent
        self.sharing = sharing
    }

    /// Makes an independent watch, or a watch for the consequences of `parent`'s action. The parent
    /// ends only after this watch. The results and the cancellation of the two watches stay
    /// separate.
    package init(following parent: EffectWatch? = nil) {
        self.parent = parent
        outermost = nil
        sharing = .nothing
    }

    deinit {
        // Releases a long chain of parents one by one: nested deallocations would need a stack of
        // the same depth.
        var next = parent
        parent = nil
        while next != nil, isKnownUniquelyReferenced(&next) {
            let following = next?.parent
            next?.parent = nil
            next = following
        }
    }

    /// The identity of the outermost watch, which all watches of one request share.
    var outermostIdentity: ObjectIdentifier { ObjectIdentifier(outermost ?? self) }

    /// True if the waiting client has given up, so that the effects of its request are cancelled.
    var isCancelled: Bool { (outermost ?? self).cancelled.load(ordering: .sequentiallyConsistent) }

    /// The watch for the actions that an effect dispatches. The watch of a ledger entry shares
    /// every result with its parent, and ends when the entry's effects have ended. Such a watch
    /// does not wait for the consequences of the dispatched actions. Their watch is the parent.
    var watchForDispatchedActions: EffectWatch? {
        switch sharing {
        case .everything: parent
        case .failures, .nothing: self
        }
    }

    /// True if an effect of this watch itself did not begin, because too many effects ran or the
    /// store was stopping.
    var hasRefusedEffect: Bool { refused.load(ordering: .acquiring) }

    /// Counts an effect that can't begin as a failed effect.
    func countRefusedEffect() {
        refused.store(true, ordering: .releasing)
        begin()
        end(.failure(RefusedEffect()))
    }

    /// Marks the request as cancelled. Effects of the request that begin from now on are cancelled
    /// at once.
    func cancel() { (outermost ?? self).cancelled.store(true, ordering: .sequentiallyConsistent) }

    /// True if no effect and no observer runs. If the action also has its outcome, all of its
    /// consequences have ended.
    package var isDone: Bool { status.withLock { $0.runningCount == 0 } }

    /// The slice whose effect gave the result; `nil` if no effect did. Read this value in the
    /// closure for ``whenDone(_:)``.
    package var resultAddress: SliceAddress? { status.withLock { $0.resultAddress } }

    /// Calls `done` once, when no effect and no observer runs any more. The argument is the result
    /// of the effects; `nil` if there is no result. Call this function once, after the action's
    /// outcome. `done` runs at once, or on the thread that ends the last effect or observer.
    package func whenDone(_ done: @escaping @Sendable (Result<any Sendable, any Error>?) -> Void) {
        let now = status.withLock { count -> (() -> Void)? in
            guard count.runningCount > 0 else { return { [result = count.result] in done(result) } }
            count.onDone = done
            return nil
        }
        now?()
    }

    /// Waits until no effect and no observer runs. Returns the result of the effects; `nil` if
    /// there is no result.
    func result() async throws -> (any Sendable)? {
        try await withCheckedThrowingContinuation { continuation in
            whenDone { result in
                switch result {
                case .success(let value)?: continuation.resume(returning: value)
                case .failure(let error)?: continuation.resume(throwing: error)
                case nil: continuation.resume(returning: nil)
                }
            }
        }
    }
}

// Counting

extension EffectWatch {
    /// Counts one more running effect or observer. The parents count first, so that the count of no
    /// parent reaches zero meanwhile.
    package func begin() {
        var idle: [EffectWatch] = []
        var next: EffectWatch? = self
        while let watch = next, !watch.incrementIfRunning() {
            idle.append(watch)
            next = watch.parent
        }
        while let watch = idle.popLast() {
            let ranAlready = watch.status.withLock { count in
                count.runningCount += 1
                return count.runningCount > 1
            }
            // If another thread began this watch meanwhile, the parent has counted this watch
            // twice, and one count is removed.
            if ranAlready { watch.parent?.decrement() }
        }
    }

    /// Counts one fewer running effect or observer. The result of the watch is the first failure;
    /// without a failure, the first success. `address` is the slice of the effect.
    package func end(
        _ result: Result<any Sendable, any Error>? = nil,
        of address: SliceAddress? = nil
    ) {
        if let result { note(result, address) }
        decrement()
    }

    /// Raises the count by one and returns `true`, if the count is not zero. Otherwise returns
    /// `false`.
    private func incrementIfRunning() -> Bool {
        status.withLock { count in
            guard count.runningCount > 0 else { return false }
            count.runningCount += 1
            return true
        }
    }

    /// Lowers the count by one. If the count is then zero, also lowers the count of the parent by
    /// one.
    private func decrement() {
        var next: EffectWatch? = self
        while let watch = next {
            let (isLast, done) = watch.status.withLock { count -> (Bool, (() -> Void)?) in
                count.runningCount -= 1
                guard count.runningCount == 0 else { return (false, nil) }
                defer { count.onDone = nil }
                return (
                    true, count.onDone.map { done in { [result = count.result] in done(result) } }
                )
            }
            done?()
            next = isLast ? watch.parent : nil
        }
    }

    /// Stores a result in this watch, and in its parents as far as they share the result. Stops at
    /// a watch that keeps its earlier result.
    private func note(_ result: Result<any Sendable, any Error>, _ address: SliceAddress?) {
        var next: EffectWatch? = self
        while let watch = next, watch.replaceResult(result, address) {
            switch (watch.sharing, result) {
            case (.everything, _), (.failures, .failure): next = watch.parent
            case (.failures, .success), (.nothing, _): next = nil
            }
        }
    }

    private func replaceResult(
        _ result: Result<any Sendable, any Error>,
        _ address: SliceAddress?
    ) -> Bool {
        status.withLock { count in
            switch (count.result, result) {
            case (nil, _), (.success?, .failure): count.result = result
            case (.success?, .success), (.failure?, _): return false
            }
            count.resultAddress = address
            return true
        }
    }
}
