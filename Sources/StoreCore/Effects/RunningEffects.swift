/// The effects that run, found by what they can be cancelled by.
///
/// Cost: adding, removing and each lookup take the same however many others run.
struct RunningEffects: Sendable {
    private var all: [ObjectIdentifier: EffectToken] = [:]
    private var byID = TokenIndex<EffectID>()
    private var bySlice = TokenIndex<SliceAddress>()
    private var byModule = TokenIndex<SliceAddress>()
    private var bySession = TokenIndex<ExactText>()
    /// By the watch above all others, where a request waits.
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

    /// Those with this id that work for a slice of this session; for shared ones where it is
    /// `nil`.
    func tokens(id: String, of session: String?) -> [EffectToken] {
        byID[EffectID(id: ExactText(id), session: session.map { ExactText($0) })]
    }

    /// Those that work for a slice; without an instance, also for any instance of the module that
    /// the same session has.
    func tokens(of address: SliceAddress) -> [EffectToken] {
        address.instance == nil ? byModule[address] : bySlice[address]
    }

    /// Those that work for this session alone.
    func tokens(ofSession session: String) -> [EffectToken] { bySession[ExactText(session)] }

    /// Those that a watch waits for, and others that the same request waits for.
    func tokens(near watch: EffectWatch) -> [EffectToken] { byWatch[watch.top] }
}

/// Tokens in groups that have a key in common.
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
    /// The session that it works for, where it works for no other.
    fileprivate var session: ExactText? { cause.session.map { ExactText($0) } }
}

extension SliceAddress {
    /// The module's, for all instances.
    fileprivate var ofModule: SliceAddress {
        SliceAddress(module: module, SliceKey(session: key.session))
    }
}

/// By what an effect can be cancelled.
private struct EffectID: Hashable {
    let id: ExactText
    /// Whose slice it works for; `nil` for shared slices.
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
