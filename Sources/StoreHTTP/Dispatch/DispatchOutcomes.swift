import StoreAdmission
package import StoreCore
import StorePlatform
import StoreWire
import Synchronization

/// The outcomes of dispatches that were answered with 202, for `GET /dispatch/<version>`, and the
/// requests that wait for an outcome.
///
/// The table is only in memory: a restart forgets the outcomes.
package final class DispatchOutcomes: Sendable {
    /// The maximum number of remembered dispatches; if there are more, the oldest dispatches are
    /// forgotten.
    package static let dispatchesMax = 1_000
    /// The maximum number of bytes in the values of all effects; if there are more, the oldest
    /// dispatches are forgotten.
    package static let valueBytesMax = 16 << 20
    /// The seconds for which a dispatch is remembered after its end. A running dispatch is
    /// remembered while there is room.
    package static let rememberedSecondsMax: Int64 = 600

    fileprivate struct RememberedDispatch: Sendable {
        let dispatch: PendingDispatch
        /// The number of bytes that ``Table/totalValueBytes`` includes for this dispatch.
        var countedValueBytes = 0
    }

    fileprivate struct WaitingRequest: Sendable {
        let giveUp: @Sendable () -> Void
        /// The access that the wait depends on; `nil` if the access can't end.
        let access: AccessLease?
    }

    fileprivate struct Table: Sendable {
        var dispatchesByVersion: [UInt64: RememberedDispatch] = [:]
        /// The last versions of the dispatches, in the order in which the dispatches were
        /// remembered. Only the elements from ``firstArrivalIndex`` on count, and some of their
        /// dispatches may be forgotten.
        var versionsByArrival: [UInt64] = []
        var firstArrivalIndex = 0
        var totalValueBytes = 0
        var waitingRequests: [ObjectIdentifier: WaitingRequest] = [:]
    }

    private let clock: any WallClock
    private let table = Locked(Table())

    /// Makes an empty table. `clock` measures the ages of dispatches.
    package init(clock: any WallClock = SteadyClock()) { self.clock = clock }

    /// Remembers a dispatch whose client gets a 202.
    func remember(_ dispatch: PendingDispatch) {
        let version = dispatch.answer.lastVersion
        let oldest = oldestRememberedEndTime
        table.withLock { table in
            if table.dispatchesByVersion[version] == nil {
                table.dispatchesByVersion[version] = RememberedDispatch(dispatch: dispatch)
                table.versionsByArrival.append(version)
            }
            table.countValueBytes(of: version)
            table.trim(before: oldest)
        }
    }

    /// Returns the dispatch with this last version; `nil` if the dispatch is forgotten. Also
    /// returns `nil` if the caller is neither the dispatch's sender nor an operator that sees the
    /// whole state.
    func rememberedDispatch(_ version: UInt64, for caller: Caller) -> PendingDispatch? {
        let oldest = oldestRememberedEndTime
        let dispatch = table.withLock { table -> PendingDispatch? in
            guard let dispatch = table.dispatchesByVersion[version]?.dispatch else { return nil }
            guard dispatch.hasEnded(before: oldest) else { return dispatch }
            table.forget(version)
            return nil
        }
        guard let dispatch else { return nil }
        let isOwn =
            caller.isClient(ofSession: dispatch.session)
            && caller.recordedPrincipal == dispatch.principal
        // The reason of a failure may name parts of the state that the caller's role does not see.
        let operates = caller.isOperator && caller.viewer.sight == nil
        return operates || isOwn ? dispatch : nil
    }

    /// Records the end of a dispatch, and answers the requests that wait for this end.
    func endDispatch(_ dispatch: PendingDispatch, with end: EffectsResult) {
        dispatch.end(end, at: clock.now())
        guard case .succeeded(.some) = end else { return }
        let oldest = oldestRememberedEndTime
        table.withLock { table in
            table.countValueBytes(of: dispatch.answer.lastVersion)
            table.trim(before: oldest)
        }
    }

    private var oldestRememberedEndTime: Int64 {
        clock.now() - Self.rememberedSecondsMax * 1_000_000_000
    }
}

extension DispatchOutcomes.Table {
    /// Updates the number of bytes that are counted for a dispatch's value. The value exists only
    /// after the dispatch has ended.
    fileprivate mutating func countValueBytes(of version: UInt64) {
        guard let remembered = dispatchesByVersion[version] else { return }
        let bytes = remembered.dispatch.valueByteCount
        dispatchesByVersion[version]?.countedValueBytes = bytes
        totalValueBytes += bytes - remembered.countedValueBytes
    }

    fileprivate mutating func forget(_ version: UInt64) {
        totalValueBytes -= dispatchesByVersion.removeValue(forKey: version)?.countedValueBytes ?? 0
    }

    /// Forgets dispatches, the oldest first, until the bounds hold and the oldest dispatch did not
    /// end before the time `oldest`.
    fileprivate mutating func trim(before oldest: Int64) {
        while firstArrivalIndex < versionsByArrival.count {
            let version = versionsByArrival[firstArrivalIndex]
            if let remembered = dispatchesByVersion[version] {
                guard
                    dispatchesByVersion.count > DispatchOutcomes.dispatchesMax
                        || totalValueBytes > DispatchOutcomes.valueBytesMax
                        || remembered.dispatch.hasEnded(before: oldest)
                else { break }
                forget(version)
            }
            firstArrivalIndex += 1
        }
        guard firstArrivalIndex > DispatchOutcomes.dispatchesMax else { return }
        versionsByArrival.removeFirst(firstArrivalIndex)
        firstArrivalIndex = 0
    }
}

// Requests that wait

extension DispatchOutcomes {
    /// Adds a request that waits for the end of a dispatch. `givingUp` ends the wait.
    func addWait(of ticket: DispatchTicket, givingUp: @escaping @Sendable () -> Void) {
        let waiting = WaitingRequest(giveUp: givingUp, access: ticket.access)
        table.withLock { $0.waitingRequests[ObjectIdentifier(ticket)] = waiting }
    }

    func removeWait(of ticket: DispatchTicket) {
        table.withLock { _ = $0.waitingRequests.removeValue(forKey: ObjectIdentifier(ticket)) }
    }

    /// Answers all waiting requests as if their waits had expired, because the server stops.
    func giveUpWaits() {
        let waiting = table.withLock { Array($0.waitingRequests.values) }
        for request in waiting { request.giveUp() }
    }

    /// Answers the requests whose access has ended, after credentials or permissions have changed.
    package func giveUpForbiddenWaits() {
        let waiting = table.withLock { Array($0.waitingRequests.values) }
        for request in waiting where request.access?.isValid == false { request.giveUp() }
    }
}

// Dispatches

/// The result of an action's effects, after all of them have ended.
enum EffectsResult: Sendable {
    /// Success, with the effect's return value as JSON; `nil` if the effect returned no value.
    case succeeded(value: [UInt8]?)
    /// An error, with the text that clients get.
    case failed(reason: String)
}

/// A dispatch whose client waits for its effects, with the result of these effects.
final class PendingDispatch: Sendable {
    typealias Waiter = @Sendable (EffectsResult) -> Void

    private struct State: Sendable {
        var result: EffectsResult?
        /// The time at which the effects ended, in nanoseconds of the store's steady clock.
        var endedAt: Int64 = 0
        /// The closures that are called when the effects end, by ticket.
        var waiters: [ObjectIdentifier: Waiter] = [:]
    }

    let answer: AppliedAnswer
    let hasActionArray: Bool
    let returnsState: Bool
    /// The session of the client that dispatched the action; `nil` for a client without a session.
    let session: String?
    /// The principal that dispatched the action; `nil` for a client without a credential.
    let principal: ActionPrincipal?
    private let state = Locked(State())

    init(
        _ answer: AppliedAnswer,
        hasActionArray: Bool,
        returnsState: Bool,
        session: String?,
        principal: ActionPrincipal? = nil
    ) {
        self.answer = answer
        self.hasActionArray = hasActionArray
        self.returnsState = returnsState
        self.session = session
        self.principal = principal
    }

    /// Records the result of the effects, and calls the waiting closures. Called once.
    func end(_ end: EffectsResult, at time: Int64) {
        let waiters = state.withLock { state -> [Waiter] in
            state.result = end
            state.endedAt = time
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter(end) }
    }

    /// Calls `waiter` with the result of the effects: at once if the effects have ended, else when
    /// they end.
    func callAtEnd(for ticket: DispatchTicket, _ waiter: @escaping Waiter) {
        let end = state.withLock { state -> EffectsResult? in
            if state.result == nil { state.waiters[ObjectIdentifier(ticket)] = waiter }
            return state.result
        }
        if let end { waiter(end) }
    }

    /// Removes the waiter of a ticket whose client has waited as long as it asked for.
    func removeWaiter(of ticket: DispatchTicket) {
        state.withLock { _ = $0.waiters.removeValue(forKey: ObjectIdentifier(ticket)) }
    }

    /// True if the effects ended before `time`.
    func hasEnded(before time: Int64) -> Bool {
        state.withLock { $0.result != nil && $0.endedAt < time }
    }

    var valueByteCount: Int {
        state.withLock { state in
            if case .succeeded(let value?) = state.result { value.count } else { 0 }
        }
    }
}
