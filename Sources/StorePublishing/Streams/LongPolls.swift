import StoreCore
package import StoreEventStream
import StorePlatform
import StoreWire
import Synchronization

/// The requests that wait for a version greater than the one they name (`GET /state?after=N`).
///
/// Each waits until a version is published or its time is over, whichever takes it out first; so
/// each is answered exactly once. Bounded by the connections that the server admits.
package final class LongPolls: Sendable {
    package struct Waiter: Sendable {
        package let after: UInt64
        /// As whom it reads the state.
        package let viewer: Viewer
        /// Whether it may still be answered with what it waits for; `nil` where that is so for as
        /// long as it waits.
        fileprivate let isAllowed: (@Sendable () -> Bool)?
        /// Ends its time; cancelled with the answer.
        fileprivate var endTimer: (@Sendable () -> Void)?
        private let respond: @Sendable (Snapshot?) -> Void

        package init(
            after: UInt64,
            for viewer: Viewer = .all,
            while isAllowed: (@Sendable () -> Bool)? = nil,
            answer: @escaping @Sendable (Snapshot?) -> Void
        ) {
            self.after = after
            self.viewer = viewer
            self.isAllowed = isAllowed
            respond = answer
        }

        /// Whether there is something new for it in a version.
        fileprivate func isBehind(_ snapshot: Snapshot) -> Bool {
            snapshot.version > after
                && (viewer.seesAll || snapshot.visible(to: viewer).changedVersion > after)
        }

        fileprivate func answer(_ news: Snapshot?) {
            endTimer?()
            respond(news)
        }
    }

    private struct Waiting {
        var next: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
    }

    private let waiting = Locked(Waiting())
    /// How many wait, or are about to.
    private let count = Atomic(0)

    package init() {}

    /// Whether a version that is published now has to be brought here. Any thread.
    var isAwaited: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

    /// Adds a waiter, unless `current` is news to it already. Returns what to withdraw it by.
    ///
    /// It is counted before `current` is read, and that under the lock that ``published(_:)`` takes
    /// after the snapshot was swapped, so no version can slip between looking and waiting.
    package func add(_ waiter: Waiter, unless current: () -> Snapshot) -> UInt64? {
        count.add(1, ordering: .sequentiallyConsistent)
        let (id, news) = waiting.withLock { waiting -> (UInt64?, Snapshot?) in
            let snapshot = current()
            guard !waiter.isBehind(snapshot) else { return (nil, snapshot) }
            waiting.next += 1
            waiting.waiters[waiting.next] = waiter
            return (waiting.next, nil)
        }
        if let news {
            count.subtract(1, ordering: .sequentiallyConsistent)
            waiter.answer(news)
        }
        return id
    }

    /// Calls `cancel` with the answer of this waiter; at once where it has its answer already.
    package func end(timer cancel: @escaping @Sendable () -> Void, with id: UInt64) {
        let waits = waiting.withLock { waiting -> Bool in
            guard waiting.waiters[id] != nil else { return false }
            waiting.waiters[id]?.endTimer = cancel
            return true
        }
        if !waits { cancel() }
    }

    /// Answers everyone to whom this version is news. The publishing thread calls it.
    package func published(_ snapshot: Snapshot) {
        let due = waiting.withLock { waiting -> [Waiter] in
            guard !waiting.waiters.isEmpty else { return [] }
            let due = waiting.waiters.filter { $0.value.isBehind(snapshot) }
            for id in due.keys { waiting.waiters[id] = nil }
            return Array(due.values)
        }
        count.subtract(due.count, ordering: .sequentiallyConsistent)
        for waiter in due { waiter.answer(snapshot) }
    }

    /// Answers one waiter that its time is over, if it still waits.
    package func expire(_ id: UInt64) {
        guard let waiter = waiting.withLock({ $0.waiters.removeValue(forKey: id) }) else { return }
        count.subtract(1, ordering: .sequentiallyConsistent)
        waiter.answer(nil)
    }

    /// Answers the requests of a session, which has ended, that there is no news.
    package func expireAll(of session: String) {
        expire { $0.viewer.session?.text.isSame(as: session) == true }
    }

    /// Answers those that there is no news who may wait no longer: credentials or permissions have
    /// changed.
    package func expireForbidden() {
        let bounded = waiting.withLock { waiting in
            waiting.waiters.compactMap { id, waiter in waiter.isAllowed.map { (id, $0) } }
        }
        for (id, isAllowed) in bounded where !isAllowed() { expire(id) }
    }

    /// Answers everyone that there is no news; the server is about to stop.
    package func expireAll() {
        expire { _ in true }
    }

    private func expire(where isMeant: (Waiter) -> Bool) {
        let due = waiting.withLock { waiting -> [Waiter] in
            let due = waiting.waiters.filter { isMeant($0.value) }
            for id in due.keys { waiting.waiters[id] = nil }
            return Array(due.values)
        }
        count.subtract(due.count, ordering: .sequentiallyConsistent)
        for waiter in due { waiter.answer(nil) }
    }
}
