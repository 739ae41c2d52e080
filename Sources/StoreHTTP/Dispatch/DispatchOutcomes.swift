import Platform
package import StoreCore
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

    fileprivate struct Table: Sendable {
        var byVersion: [UInt64: FollowedDispatch] = [:]
        /// The versions in the order in which they came; those at the front may be forgotten
        /// already.
        var order: [UInt64] = []
        var waiting: [ObjectIdentifier: @Sendable () -> Void] = [:]
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
        table.withLock { table in
            if table.byVersion.updateValue(dispatch, forKey: version) == nil {
                table.order.append(version)
            }
            table.trim(before: oldest)
        }
    }

    /// The dispatch whose last version this is; `nil` where it is not remembered, or where another
    /// session has made it.
    func dispatch(_ version: UInt64, for caller: Caller) -> FollowedDispatch? {
        let dispatch = table.withLock { table in
            table.trim(before: oldest)
            return table.byVersion[version]
        }
        guard let dispatch, caller.isOperator || caller.isSession(dispatch.session) else {
            return nil
        }
        return dispatch
    }

    /// Notes that a dispatch has ended, and answers those who wait for that.
    func end(_ dispatch: FollowedDispatch, _ end: DispatchEnd) {
        dispatch.end(end, at: clock.now())
        guard case .done(.some) = end else { return }
        table.withLock { $0.trim(before: oldest) }
    }

    private var oldest: Int64 { clock.now() - Self.secondsMax * 1_000_000_000 }
}

extension DispatchOutcomes.Table {
    fileprivate mutating func trim(before oldest: Int64) {
        var bytes = 0
        for (version, dispatch) in byVersion {
            if dispatch.hasEnded(before: oldest) {
                byVersion[version] = nil
            } else {
                bytes += dispatch.valueBytes
            }
        }
        order.removeAll { byVersion[$0] == nil }
        var excess = 0
        var count = byVersion.count
        while count > DispatchOutcomes.countMax || bytes > DispatchOutcomes.valueBytesMax,
            excess < order.count
        {
            bytes -= byVersion.removeValue(forKey: order[excess])?.valueBytes ?? 0
            count -= 1
            excess += 1
        }
        order.removeFirst(excess)
    }
}

// Requests that wait

extension DispatchOutcomes {
    /// Notes a request that waits for the end of a dispatch, and how its waiting is ended.
    func begin(waiting ticket: DispatchTicket, givingUp: @escaping @Sendable () -> Void) {
        table.withLock { $0.waiting[ObjectIdentifier(ticket)] = givingUp }
    }

    /// Forgets a request that is answered.
    func end(waiting ticket: DispatchTicket) {
        table.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(ticket)) }
    }

    /// Has all that wait answered as if their time were over: the server stops.
    func giveUp() {
        let waiting = table.withLock { Array($0.waiting.values) }
        for givingUp in waiting { givingUp() }
    }
}
