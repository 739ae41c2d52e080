import StorePlatform
import Synchronization

/// A signal for the end of all consequences of an action. The consequences are its effects, the
/// observers of its state, the actions of presenters and reactions, and their own consequences.
///
/// A watch is made only if a client waits. Effects begin before the action's own outcome is
/// delivered. So if nothing runs after the outcome, all consequences have ended.
///
/// A watch counts each inner watch as one, while anything runs in that inner watch. So the begin
/// and the end of an effect cost the same at any depth of dispatched effects.
package final class EffectWatch: Sendable {
    private struct Count: Sendable {
        var running = 0
        var result: Result<any Sendable, any Error>?
        /// The module whose effect gave the result.
        var module: String?
        var done: (@Sendable (Result<any Sendable, any Error>?) -> Void)?
    }

    /// The results that a watch shares with the watches above it.
    enum Sharing {
        /// Every result: this watch is a part of the work for the action above.
        case everything
        /// Failures: an effect of the action above dispatched this action without waiting for its
        /// result.
        case failures
        /// No results: the watches above only wait for the end.
        case nothing
    }

    // Safety: changed only when no other reference to the watch exists.
    private nonisolated(unsafe) var parent: EffectWatch?
    /// The outermost watch that this watch is a part of; `nil` if it is no part of another watch.
    private let highest: EffectWatch?
    private let cancelled = Atomic(false)
    private let refused = Atomic(false)
    private let sharing: Sharing
    private let count = Locked(Count())

    init(within parent: EffectWatch?, sharing: Sharing) {
        self.parent = parent
        highest = parent?.highest ?? parent
        self.sharing = sharing
    }

    /// Makes an independent watch, or a watch for the consequences of `parent`'s action. The
    /// parent ends only after this watch. Results and cancellation stay separate.
    package init(following parent: EffectWatch? = nil) {
        self.parent = parent
        highest = nil
        sharing = .nothing
    }

    deinit {
        // Releases a long chain link by link: nested deallocations would need a stack of the same
        // depth.
        var next = parent
        parent = nil
        while next != nil, isKnownUniquelyReferenced(&next) {
            let following = next?.parent
            next?.parent = nil
            next = following
        }
    }

    /// The identity of the outermost watch that this watch is a part of: equal for all parts of one
    /// request.
    var top: ObjectIdentifier { ObjectIdentifier(highest ?? self) }

    /// True if the waiting client has given up, so that the effects of its request are cancelled.
    var isCancelled: Bool { (highest ?? self).cancelled.load(ordering: .sequentiallyConsistent) }

    /// The watch for the actions that an effect dispatches. The watch of a ledger entry shares
    /// everything, and ends when the entry's effects have ended. By then their actions are applied;
    /// the consequences of these actions belong to the watch above.
    var ofDispatched: EffectWatch? {
        switch sharing {
        case .everything: parent
        case .failures, .nothing: self
        }
    }

    /// True if an effect of this watch itself did not begin, because too many effects ran.
    var isRefused: Bool { refused.load(ordering: .acquiring) }

    /// Counts an effect that can't begin as a failed effect.
    func refuse() {
        refused.store(true, ordering: .releasing)
        begin()
        end(.failure(EffectLimit()))
    }

    /// Cancels all parts of the same request. Effects that begin from now on are cancelled at once.
    func cancel() { (highest ?? self).cancelled.store(true, ordering: .sequentiallyConsistent) }

    /// True if nothing runs. After the action's outcome, all consequences have then ended.
    package var isDone: Bool { count.withLock { $0.running == 0 } }

    /// The module whose effect gave the result; `nil` if no effect did. Read it in the closure for
    /// ``whenDone(_:)``.
    package var module: String? { count.withLock { $0.module } }

    /// Calls `done` once, when nothing runs any more. The argument is the result of the effects;
    /// `nil` if there is none. Call this once, after the action's outcome. `done` runs at once, or
    /// on the thread that ends the last effect or observer.
    package func whenDone(_ done: @escaping @Sendable (Result<any Sendable, any Error>?) -> Void) {
        let now = count.withLock { count -> (() -> Void)? in
            guard count.running > 0 else { return { [result = count.result] in done(result) } }
            count.done = done
            return nil
        }
        now?()
    }

    /// Waits until nothing runs. Returns the result of the effects; `nil` if there is none.
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
    /// Counts one more running effect or observer. The watches above count it first, so that no
    /// watch above reaches zero meanwhile.
    package func begin() {
        var idle: [EffectWatch] = []
        var next: EffectWatch? = self
        while let watch = next, !watch.joinRunning() {
            idle.append(watch)
            next = watch.parent
        }
        while let watch = idle.popLast() {
            let ranAlready = watch.count.withLock { count in
                count.running += 1
                return count.running > 1
            }
            // Another thread began this watch meanwhile; the watch above must count it once.
            if ranAlready { watch.parent?.leave() }
        }
    }

    /// Counts one running effect or observer less. The first failure is the result, else the first
    /// success. `module` is the module of the effect.
    package func end(_ result: Result<any Sendable, any Error>? = nil, of module: String? = nil) {
        if let result { note(result, module) }
        leave()
    }

    /// Counts one more if something runs already. Otherwise returns `false`.
    private func joinRunning() -> Bool {
        count.withLock { count in
            guard count.running > 0 else { return false }
            count.running += 1
            return true
        }
    }

    /// Takes one off the count. If the count is then zero, also takes one off in the watch above.
    private func leave() {
        var next: EffectWatch? = self
        while let watch = next {
            let (isLast, done) = watch.count.withLock { count -> (Bool, (() -> Void)?) in
                count.running -= 1
                guard count.running == 0 else { return (false, nil) }
                defer { count.done = nil }
                return (
                    true, count.done.map { done in { [result = count.result] in done(result) } }
                )
            }
            done?()
            next = isLast ? watch.parent : nil
        }
    }

    /// Stores a result here, and in the watches above as far as they share it. Stops at a watch
    /// that keeps its earlier result.
    private func note(_ result: Result<any Sendable, any Error>, _ module: String?) {
        var next: EffectWatch? = self
        while let watch = next, watch.take(result, module) {
            switch (watch.sharing, result) {
            case (.everything, _), (.failures, .failure): next = watch.parent
            case (.failures, .success), (.nothing, _): next = nil
            }
        }
    }

    private func take(_ result: Result<any Sendable, any Error>, _ module: String?) -> Bool {
        count.withLock { count in
            switch (count.result, result) {
            case (nil, _), (.success?, .failure): count.result = result
            case (.success?, .success), (.failure?, _): return false
            }
            count.module = module
            return true
        }
    }
}
