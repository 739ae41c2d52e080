import StorePlatform
import StoreTraces
import Synchronization

/// A running effect: its identity, and its cancellation.
package final class EffectToken: Sendable {
    package let address: SliceAddress
    /// The name for cancelling the effect in its session, such as `home/titles`. An effect without
    /// an id of its own has a generated name, such as `home/42.1`.
    package let id: String
    package let cause: EffectCause
    /// The number of the effect in the order in which effects began, from 1. Effects that are
    /// cancelled together are cancelled in this order.
    let number: Int
    /// The span of the effect; `nil` if its trace is not exported.
    let span: Span.Identity?
    /// The trace for the actions and requests of the effect; `nil` if there is no trace.
    let trace: String?
    private let beginTime = ContinuousClock.now
    private let cancelled = Atomic(false)
    private let cancelTask = Locked<(@Sendable () -> Void)?>(nil)

    init(
        address: SliceAddress,
        id: String,
        cause: EffectCause,
        number: Int = 0,
        span: Span.Identity? = nil
    ) {
        self.address = address
        self.number = number
        self.id = id
        self.cause = cause
        self.span = span
        trace = span?.traceparent ?? cause.trace
    }

    /// True if the Core no longer applies the actions that the effect dispatches.
    package var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    var elapsedNanoseconds: UInt64 {
        let (seconds, attoseconds) = beginTime.duration(to: .now).components
        return UInt64(clamping: seconds) &* 1_000_000_000
            &+ UInt64(clamping: attoseconds / 1_000_000_000)
    }

    /// Cancels the effect. The Core drops actions of the effect that are still in the mailbox.
    package func cancel() {
        cancelled.store(true, ordering: .releasing)
        cancelTask.withLock { $0 }?()
    }

    func attach<Success: Sendable>(_ task: Task<Success, Never>) {
        self.cancelTask.withLock { $0 = { task.cancel() } }
        if isCancelled { task.cancel() }
    }
}

/// The running effects, indexed by the keys for cancelling them.
///
/// Cost: adding, removing and finding an effect take the same time for any number of running
/// effects.
struct RunningEffects: Sendable {
    /// A property by which effects are found. Several effects may share a key.
    fileprivate enum Key: Hashable {
        /// The id, and the owner whose slice the effect works for; `nil` for shared slices.
        case id(ExactText, owner: ExactText?)
        case slice(SliceAddress)
        /// The module with all of its instances, for one owner.
        case module(SliceAddress)
        /// The session of the action that the effect follows.
        case session(ExactText)
        /// The principal of the action that the effect follows.
        case principal(ExactText)
        /// The outermost watch, if a request waits for the effect.
        case watch(ObjectIdentifier)
    }

    private var all: [ObjectIdentifier: EffectToken] = [:]
    private var groups: [Key: [ObjectIdentifier: EffectToken]] = [:]

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }
    var tokens: [EffectToken] { Array(all.values) }

    mutating func insert(_ token: EffectToken) {
        let id = ObjectIdentifier(token)
        all[id] = token
        token.forEachKey { groups[$0, default: [:]][id] = token }
    }

    mutating func remove(_ token: EffectToken) {
        let id = ObjectIdentifier(token)
        guard all.removeValue(forKey: id) != nil else { return }
        token.forEachKey { key in
            guard let place = groups.index(forKey: key) else { return }
            groups.values[place][id] = nil
            if groups.values[place].isEmpty { groups.remove(at: place) }
        }
    }

    /// Returns the effects with this id that work for slices of an owner; `nil` means shared
    /// slices.
    func tokens(id: String, of owner: String?) -> [EffectToken] {
        tokens(.id(ExactText(id), owner: owner.map { ExactText($0) }))
    }

    /// Returns the effects that work for a slice. Without an instance, returns the effects for all
    /// instances of the module with the same owner.
    func tokens(of address: SliceAddress) -> [EffectToken] {
        tokens(address.instance == nil ? .module(address) : .slice(address))
    }

    func tokens(ofSession session: String) -> [EffectToken] { tokens(.session(ExactText(session))) }

    /// Returns the effects that follow the actions of a principal.
    func tokens(ofPrincipal name: String) -> [EffectToken] { tokens(.principal(ExactText(name))) }

    /// Returns all effects of the request that the watch belongs to, including effects of other
    /// watches.
    func tokens(ofRequestOf watch: EffectWatch) -> [EffectToken] {
        tokens(.watch(watch.outermostIdentity))
    }

    private func tokens(_ key: Key) -> [EffectToken] { groups[key].map { Array($0.values) } ?? [] }
}

extension EffectToken {
    fileprivate func forEachKey(_ body: (RunningEffects.Key) -> Void) {
        let (module, owner) = (address.module, address.key.owner)
        body(.id(ExactText(id), owner: owner.map { ExactText($0) }))
        body(.slice(address))
        body(.module(SliceAddress(module: module, SliceKey(owner: owner))))
        if let session = cause.session { body(.session(ExactText(session))) }
        if let principal = cause.principal { body(.principal(ExactText(principal.name))) }
        if let watch = cause.watch { body(.watch(watch.outermostIdentity)) }
    }
}
