package import StoreCore
import StoreEventStream
import StorePlatform
import Synchronization

/// What became of the dispatches that were answered with 202, for those who ask at
/// `GET /dispatch/<version>`; and the requests that wait for an end just now.
///
/// In memory alone: a restart forgets all of it.
package final class DispatchOutcomes: Sendable {
    /// The most dispatches that are remembered; of more, the oldest are forgotten.
    package static let countMax = 1_000
    /// The most bytes that the values of their effects have; beyond it the oldest are forgotten.
    package static let valueBytesMax = 16 << 20
    /// How long a dispatch is remembered after its end, in seconds. One that is under way is
    /// remembered while there is room.
    package static let secondsMax: Int64 = 600

    fileprivate struct Remembered: Sendable {
        let dispatch: FollowedDispatch
        /// What its value counts for in ``Table/valueBytes``.
        var valueBytes = 0
    }

    /// A request that waits for an end.
    fileprivate struct Waiting: Sendable {
        /// Ends its waiting.
        let giveUp: @Sendable () -> Void
        /// What lets it wait; `nil` where that does not end.
        let access: HeldAccess?
    }

    fileprivate struct Table: Sendable {
        var byVersion: [UInt64: Remembered] = [:]
        /// The versions in the order in which they came, from ``first`` on; some may be forgotten
        /// already.
        var order: [UInt64] = []
        var first = 0
        var valueBytes = 0
        var waiting: [ObjectIdentifier: Waiting] = [:]
    }

    private let clock: any WallClock
    private let table = Locked(Table())

    /// - Parameter clock: what ages are measured with.
    package init(clock: any WallClock = SteadyClock()) {
        self.clock = clock
    }

    /// Remembers a dispatch whose client gets a 202.
    func remember(_ dispatch: FollowedDispatch) {
        let version = dispatch.answer.last
        let oldest = oldest
        table.withLock { table in
            if table.byVersion[version] == nil {
                table.byVersion[version] = Remembered(dispatch: dispatch)
                table.order.append(version)
            }
            table.charge(version)
            table.trim(before: oldest)
        }
    }

    /// The dispatch whose last version this is; `nil` where it is not remembered, or where another
    /// session has made it.
    func dispatch(_ version: UInt64, for caller: Caller) -> FollowedDispatch? {
        let oldest = oldest
        let dispatch = table.withLock { table -> FollowedDispatch? in
            guard let dispatch = table.byVersion[version]?.dispatch else { return nil }
            guard dispatch.hasEnded(before: oldest) else { return dispatch }
            table.forget(version)
            return nil
        }
        guard let dispatch else { return nil }
        let isOwn = caller.isSession(dispatch.session) && caller.stamp == dispatch.principal
        // Why it failed may name what a role does not see.
        let operates = caller.isOperator && caller.viewer.sight == nil
        return operates || isOwn ? dispatch : nil
    }

    /// Notes that a dispatch has ended, and answers those who wait for that.
    func end(_ dispatch: FollowedDispatch, _ end: DispatchEnd) {
        dispatch.end(end, at: clock.now())
        guard case .done(.some) = end else { return }
        let oldest = oldest
        table.withLock { table in
            table.charge(dispatch.answer.last)
            table.trim(before: oldest)
        }
    }

    private var oldest: Int64 { clock.now() - Self.secondsMax * 1_000_000_000 }
}

extension DispatchOutcomes.Table {
    /// Counts the value of a dispatch, which has it from its end on.
    fileprivate mutating func charge(_ version: UInt64) {
        guard let remembered = byVersion[version] else { return }
        let bytes = remembered.dispatch.valueBytes
        byVersion[version]?.valueBytes = bytes
        valueBytes += bytes - remembered.valueBytes
    }

    fileprivate mutating func forget(_ version: UInt64) {
        valueBytes -= byVersion.removeValue(forKey: version)?.valueBytes ?? 0
    }

    /// Forgets from the oldest on what is too much, and what ended before a time. Each dispatch is
    /// looked at once, however many there are.
    fileprivate mutating func trim(before oldest: Int64) {
        while first < order.count {
            let version = order[first]
            if let remembered = byVersion[version] {
                guard
                    byVersion.count > DispatchOutcomes.countMax
                        || valueBytes > DispatchOutcomes.valueBytesMax
                        || remembered.dispatch.hasEnded(before: oldest)
                else { break }
                forget(version)
            }
            first += 1
        }
        guard first > DispatchOutcomes.countMax else { return }
        order.removeFirst(first)
        first = 0
    }
}

// Requests that wait

extension DispatchOutcomes {
    /// Notes a request that waits for the end of a dispatch, and how its waiting is ended.
    func begin(waiting ticket: DispatchTicket, givingUp: @escaping @Sendable () -> Void) {
        let waiting = Waiting(giveUp: givingUp, access: ticket.access)
        table.withLock { $0.waiting[ObjectIdentifier(ticket)] = waiting }
    }

    /// Forgets a request that is answered.
    func end(waiting ticket: DispatchTicket) {
        table.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(ticket)) }
    }

    /// Has all that wait answered as if their time were over: the server stops.
    func giveUp() {
        let waiting = table.withLock { Array($0.waiting.values) }
        for request in waiting { request.giveUp() }
    }

    /// Has those answered that may wait no longer: credentials or permissions have changed.
    package func giveUpForbidden() {
        let waiting = table.withLock { Array($0.waiting.values) }
        for request in waiting where request.access?.isGood == false { request.giveUp() }
    }
}
