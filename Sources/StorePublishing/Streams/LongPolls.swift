import StoreCore
import StorePlatform
package import StoreWire
import Synchronization

/// The requests that wait for a newer version than the version in the request (`GET
/// /state?after=N`).
///
/// A request waits until a version is published or the wait expires. The first of the two events
/// removes the request from the table, so each request is answered exactly once. The number of
/// requests is bounded by the connections that the server admits.
package final class LongPolls: Sendable {
    package struct Waiter: Sendable {
        package let afterVersion: UInt64
        /// The viewer on whose behalf the request reads the state.
        package let viewer: Viewer
        /// Returns true if the client may still get the state; `nil` if the permission can't
        /// change.
        fileprivate let canRead: (@Sendable () -> Bool)?
        /// Cancels the timer of the request. The function that answers the request calls this
        /// closure.
        fileprivate var cancelTimer: (@Sendable () -> Void)?
        private let respond: @Sendable (Snapshot?) -> Void

        package init(
            afterVersion: UInt64,
            for viewer: Viewer = .unrestricted,
            while isAllowed: (@Sendable () -> Bool)? = nil,
            respond: @escaping @Sendable (Snapshot?) -> Void
        ) {
            self.afterVersion = afterVersion
            self.viewer = viewer
            self.canRead = isAllowed
            self.respond = respond
        }

        /// Returns true if a version has a change that this waiter may see.
        fileprivate func isBehind(_ snapshot: Snapshot) -> Bool {
            snapshot.version > afterVersion
                && (viewer.seesAll || snapshot.visible(to: viewer).lastChangeVersion > afterVersion)
        }

        fileprivate func answer(_ news: Snapshot?) {
            cancelTimer?()
            respond(news)
        }
    }

    private struct Table {
        var nextID: UInt64 = 0
        var waitersByID: [UInt64: Waiter] = [:]
    }

    private let table = Locked(Table())
    /// The number of requests that wait or are about to wait.
    private let waiterCount = Atomic(0)

    package init() {}

    /// True if the next published version has to be passed to ``answerWaiters(with:)``. Any thread
    /// may read this property.
    var hasWaiters: Bool { waiterCount.load(ordering: .sequentiallyConsistent) > 0 }

    /// Adds a waiter, or answers the waiter at once if `current` has a change for the waiter.
    /// Returns the id for ``expire(_:)``; `nil` if the waiter was answered.
    ///
    /// The waiter is counted before `current` is read, and `current` is read under the lock.
    /// ``answerWaiters(with:)`` takes that lock after the swap of the snapshot. So a waiter misses
    /// no version between the read of `current` and the wait.
    package func add(_ waiter: Waiter, unless current: () -> Snapshot) -> UInt64? {
        waiterCount.add(1, ordering: .sequentiallyConsistent)
        let (id, news) = table.withLock { table -> (UInt64?, Snapshot?) in
            let snapshot = current()
            guard !waiter.isBehind(snapshot) else { return (nil, snapshot) }
            table.nextID += 1
            table.waitersByID[table.nextID] = waiter
            return (table.nextID, nil)
        }
        if let news {
            waiterCount.subtract(1, ordering: .sequentiallyConsistent)
            waiter.answer(news)
        }
        return id
    }

    /// Calls `cancel` when this waiter is answered, or at once if the waiter was answered already.
    package func setTimerCancellation(_ cancel: @escaping @Sendable () -> Void, for id: UInt64) {
        let waits = table.withLock { table -> Bool in
            guard table.waitersByID[id] != nil else { return false }
            table.waitersByID[id]?.cancelTimer = cancel
            return true
        }
        if !waits { cancel() }
    }

    /// Answers every waiter that may see a change in this version. The publishing thread calls this
    /// function.
    package func answerWaiters(with snapshot: Snapshot) {
        answer(snapshot) { $0.isBehind(snapshot) }
    }

    /// Answers a waiter without a version, because the wait has expired. Does nothing if the waiter
    /// was answered already.
    package func expire(_ id: UInt64) {
        guard let waiter = table.withLock({ $0.waitersByID.removeValue(forKey: id) }) else {
            return
        }
        waiterCount.subtract(1, ordering: .sequentiallyConsistent)
        waiter.answer(nil)
    }

    /// Answers the requests of an ended session without a version.
    package func expireAll(of session: String) {
        answer(nil) { $0.viewer.session?.text.isSame(as: session) == true }
    }

    /// Answers, without a version, the requests whose clients may no longer read the state. Call
    /// this function after a change of credentials or permissions.
    package func expireForbidden() {
        let bounded = table.withLock { table in
            table.waitersByID.compactMap { id, waiter in waiter.canRead.map { (id, $0) } }
        }
        for (id, isAllowed) in bounded where !isAllowed() { expire(id) }
    }

    /// Answers every request without a version, because the server is about to stop.
    package func expireAll() { answer(nil) { _ in true } }

    private func answer(_ news: Snapshot?, where isMeant: (Waiter) -> Bool) {
        let due = table.withLock { table -> [Waiter] in
            guard !table.waitersByID.isEmpty else { return [] }
            let due = table.waitersByID.filter { isMeant($0.value) }
            for id in due.keys { table.waitersByID[id] = nil }
            return Array(due.values)
        }
        waiterCount.subtract(due.count, ordering: .sequentiallyConsistent)
        for waiter in due { waiter.answer(news) }
    }
}
