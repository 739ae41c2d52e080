import StorePlatform
import Synchronization

/// Shows when all that follows an action is done: its effects, the observers that are shown its
/// state, what presenters and reactions make of it, and what follows those.
///
/// Made only where a client waits. Effects begin before the action's own outcome is known, so a
/// count of zero after that is the end.
///
/// A watch within another one counts there once, for as long as anything of its own runs. So
/// beginning and ending cost the same however deep effects have dispatched effects.
package final class EffectWatch: Sendable {
    private struct Count: Sendable {
        var running = 0
        var result: Result<any Sendable, any Error>?
        /// The module whose effect gave the result.
        var module: String?
        var done: (@Sendable (Result<any Sendable, any Error>?) -> Void)?
    }

    /// What of a result is the result of those above as well.
    enum Sharing {
        /// All of it: this is a part of what the action above does.
        case everything
        /// Failures: an effect of that action has dispatched this one, and does not look after it.
        case failures
        /// Nothing: they only wait for the end.
        case nothing
    }

    // Safety: it is changed when nothing refers to the watch any more.
    private nonisolated(unsafe) var parent: EffectWatch?
    /// The watch of which this is a part, or a part of a part.
    private let highest: EffectWatch?
    private let cancelled = Atomic(false)
    private let sharing: Sharing
    private let count = Locked(Count())

    package init() {
        parent = nil
        highest = nil
        sharing = .nothing
    }

    init(within parent: EffectWatch?, sharing: Sharing) {
        self.parent = parent
        highest = parent?.highest ?? parent
        self.sharing = sharing
    }

    /// For what follows the action of another watch: that ends with it, and their results stay
    /// their own.
    init(following parent: EffectWatch) {
        self.parent = parent
        highest = nil
        sharing = .nothing
    }

    deinit {
        // A long row is let go link by link: each within the other would need a stack as long.
        var next = parent
        parent = nil
        while next != nil, isKnownUniquelyReferenced(&next) {
            let following = next?.parent
            next?.parent = nil
            next = following
        }
    }

    /// The watch of which this is a part, or a part of a part: the same for all that one request
    /// waits for.
    var top: ObjectIdentifier { ObjectIdentifier(highest ?? self) }

    /// Whether the client that waits has given up, and with it the effects that the request led to.
    var isCancelled: Bool {
        (highest ?? self).cancelled.load(ordering: .sequentiallyConsistent)
    }

    /// The watch for the actions that an effect dispatches. An entry of the ledger ends with its
    /// effects: an action that one of them has dispatched is applied by then, and what follows that
    /// action is the business of those above.
    var ofDispatched: EffectWatch? {
        switch sharing {
        case .everything: parent
        case .failures, .nothing: self
        }
    }

    /// Effects that begin from now on are cancelled at once: all that the same request waits for.
    func cancel() {
        (highest ?? self).cancelled.store(true, ordering: .sequentiallyConsistent)
    }

    /// Whether nothing runs: once the action's outcome is known, the end.
    package var isDone: Bool { count.withLock { $0.running == 0 } }

    /// The module whose effect gave the result; `nil` where no effect did. For what
    /// ``whenDone(_:)`` calls.
    package var module: String? { count.withLock { $0.module } }

    /// Calls `done` once nothing runs any more, with `nil` where nothing ever did. Called once,
    /// after the action's outcome is known; at once, or on an effect's thread.
    package func whenDone(
        _ done: @escaping @Sendable (Result<any Sendable, any Error>?) -> Void
    ) {
        let now = count.withLock { count -> (() -> Void)? in
            guard count.running > 0 else { return { [result = count.result] in done(result) } }
            count.done = done
            return nil
        }
        now?()
    }

    /// What the effects gave, when all are done.
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
    /// One more runs. Those above count it before this one does, so that none of them is done
    /// meanwhile.
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
            // Another thread began it meanwhile: it counts above once.
            if ranAlready { watch.parent?.leave() }
        }
    }

    /// One is done. The first that failed is the result, else the first that gave something.
    /// `module` is the one whose effect it is.
    package func end(
        _ result: Result<any Sendable, any Error>? = nil,
        of module: String? = nil
    ) {
        if let result { note(result, module) }
        leave()
    }

    /// Counts one more where something runs already.
    private func joinRunning() -> Bool {
        count.withLock { count in
            guard count.running > 0 else { return false }
            count.running += 1
            return true
        }
    }

    /// Counts one less, here and above where that was the last.
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

    /// Takes a result, here and above as far as it is new there.
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
