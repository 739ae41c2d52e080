import Locks
import Synchronization

/// Tells when all that follows an action is done: its effects, what presenters and reactions make of
/// it, and what follows those.
///
/// Made only where somebody waits. Effects begin before the action's own outcome is told, so a count
/// of zero after that is the end.
package final class EffectWatch: Sendable {
    private struct Count: Sendable {
        var running = 0
        var result: Result<any Sendable, any Error>?
        var isAsked = false
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

    private let parents: [EffectWatch]
    /// The one that this is a part of, where there is just one.
    private let above: EffectWatch?
    private let highest: EffectWatch?
    private let cancelled = Atomic(false)
    private let sharing: Sharing
    private let count = Locked(Count())

    package init() {
        parents = []
        above = nil
        highest = nil
        sharing = .nothing
    }

    init(within parent: EffectWatch?, sharing: Sharing) {
        parents = parent.map { [$0] } ?? []
        above = parent
        highest = parent?.highest ?? parent
        self.sharing = sharing
    }

    /// For what follows the actions of these: they end with it, and their results stay their own.
    init(following watches: [EffectWatch]) {
        parents = watches
        above = nil
        highest = nil
        sharing = .nothing
    }

    /// The watch of which this is a part, or a part of a part: the same for all that one request waits
    /// for.
    var top: ObjectIdentifier { ObjectIdentifier(highest ?? self) }

    /// Whether who waits has given up, and with it the effects that this tells of.
    var isCancelled: Bool {
        var watch: EffectWatch? = self
        while let current = watch {
            if current.cancelled.load(ordering: .sequentiallyConsistent) { return true }
            watch = current.above
        }
        return false
    }

    /// Effects that begin from now on are cancelled at once.
    func cancel() {
        cancelled.store(true, ordering: .sequentiallyConsistent)
    }

    func begin() {
        for parent in parents { parent.begin() }
        count.withLock { $0.running += 1 }
    }

    /// One is done. The first that failed is the result, else the first that gave something.
    func end(_ result: Result<any Sendable, any Error>? = nil) {
        let told = count.withLock {
            count -> (() -> Void)? in
            count.running -= 1
            switch (count.result, result) {
            case (nil, _), (.success?, .failure?): count.result = result
            default: break
            }
            guard count.running == 0, let done = count.done else { return nil }
            count.done = nil
            return { [result = count.result] in done(result) }
        }
        told?()
        let shared: Result<any Sendable, any Error>? =
            switch (sharing, result) {
            case (.everything, _), (.failures, .failure?): result
            case (.failures, _), (.nothing, _): nil
            }
        for parent in parents { parent.end(shared) }
    }

    /// Whether nothing runs: once the action's outcome is known, the end.
    package var isDone: Bool { count.withLock { $0.running == 0 } }

    /// Calls `done` once nothing runs any more, with `nil` where nothing ever did. Called once, after
    /// the action's outcome is known; at once, or on an effect's thread.
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
