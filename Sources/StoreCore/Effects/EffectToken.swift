import StorePlatform
import StoreTraces
import Synchronization

/// A running effect: its identity, and its cancellation.
package final class EffectToken: Sendable {
    /// The slice that the effect works for.
    package let address: SliceAddress
    /// The name for cancelling the effect in its session, such as `home/titles`. An effect without
    /// an id of its own has a generated one, such as `home/42.1`.
    package let id: String
    package let cause: EffectCause
    /// The number of the effect in the order in which effects began, from 1. Effects that are
    /// cancelled together are cancelled in this order.
    let number: Int
    /// The span of the effect; `nil` if its trace is not exported.
    let span: Span.Identity?
    /// The trace for the actions and requests of the effect; `nil` if there is none.
    let trace: String?
    private let begun = ContinuousClock.now
    private let cancelled = Atomic(false)
    private let task = Locked<(@Sendable () -> Void)?>(nil)

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

    /// The time in nanoseconds since the effect began.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = begun.duration(to: .now).components
        return UInt64(clamping: seconds) &* 1_000_000_000
            &+ UInt64(clamping: attoseconds / 1_000_000_000)
    }

    /// Cancels the effect. The Core drops actions of the effect that are still in the mailbox.
    package func cancel() {
        cancelled.store(true, ordering: .releasing)
        task.withLock { $0 }?()
    }

    func began<Success: Sendable>(_ task: Task<Success, Never>) {
        self.task.withLock { $0 = { task.cancel() } }
        if isCancelled { task.cancel() }
    }
}

/// The running effects, indexed by the keys for cancelling them.
///
/// Cost: adding, removing and each lookup of an effect are independent of the number of running
/// effects.
struct RunningEffects: Sendable {
    private var all: [ObjectIdentifier: EffectToken] = [:]
    private var byID = TokenIndex<EffectID>()
    private var bySlice = TokenIndex<SliceAddress>()
    private var byModule = TokenIndex<SliceAddress>()
    private var bySession = TokenIndex<ExactText>()
    /// The effects by their outermost watch, if a request waits.
    private var byWatch = TokenIndex<ObjectIdentifier>()

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }
    var tokens: [EffectToken] { Array(all.values) }

    mutating func insert(_ token: EffectToken) {
        all[ObjectIdentifier(token)] = token
        byID.insert(token, under: EffectID(token))
        bySlice.insert(token, under: token.address)
        byModule.insert(token, under: token.address.ofModule)
        if let session = token.session { bySession.insert(token, under: session) }
        if let watch = token.cause.watch { byWatch.insert(token, under: watch.top) }
    }

    mutating func remove(_ token: EffectToken) {
        guard all.removeValue(forKey: ObjectIdentifier(token)) != nil else { return }
        byID.remove(token, under: EffectID(token))
        bySlice.remove(token, under: token.address)
        byModule.remove(token, under: token.address.ofModule)
        if let session = token.session { bySession.remove(token, under: session) }
        if let watch = token.cause.watch { byWatch.remove(token, under: watch.top) }
    }

    /// Returns the effects with this id that work for slices of a session; `nil` means shared
    /// slices.
    func tokens(id: String, of session: String?) -> [EffectToken] {
        byID[EffectID(id: ExactText(id), session: session.map { ExactText($0) })]
    }

    /// Returns the effects that work for a slice. Without an instance, returns the effects for all
    /// instances of the module in the same session.
    func tokens(of address: SliceAddress) -> [EffectToken] {
        address.instance == nil ? byModule[address] : bySlice[address]
    }

    /// Returns the effects that follow actions of this session.
    func tokens(ofSession session: String) -> [EffectToken] { bySession[ExactText(session)] }

    /// Returns the effects of the same request as a watch. Not all of them belong to the watch.
    func tokens(near watch: EffectWatch) -> [EffectToken] { byWatch[watch.top] }
}

/// Tokens in groups with a common key.
private struct TokenIndex<Key: Hashable & Sendable>: Sendable {
    private var groups: [Key: [ObjectIdentifier: EffectToken]] = [:]

    subscript(key: Key) -> [EffectToken] { groups[key].map { Array($0.values) } ?? [] }

    mutating func insert(_ token: EffectToken, under key: Key) {
        groups[key, default: [:]][ObjectIdentifier(token)] = token
    }

    mutating func remove(_ token: EffectToken, under key: Key) {
        guard let place = groups.index(forKey: key) else { return }
        groups.values[place][ObjectIdentifier(token)] = nil
        if groups.values[place].isEmpty { groups.remove(at: place) }
    }
}

extension EffectToken {
    /// The session of the action that the effect follows.
    fileprivate var session: ExactText? { cause.session.map { ExactText($0) } }
}

extension SliceAddress {
    /// The address of the module, for all instances.
    fileprivate var ofModule: SliceAddress {
        SliceAddress(module: module, SliceKey(session: key.session))
    }
}

/// The key for cancelling an effect by its id.
private struct EffectID: Hashable {
    let id: ExactText
    /// The session whose slice the effect works for; `nil` for shared slices.
    let session: ExactText?

    init(id: ExactText, session: ExactText?) {
        self.id = id
        self.session = session
    }

    init(_ token: EffectToken) {
        self.init(
            id: ExactText(token.id),
            session: token.address.key.session.map { ExactText($0) }
        )
    }
}
