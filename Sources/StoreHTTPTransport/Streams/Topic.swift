import StoreJSON
import StoreWire

/// The newest frame of a topic, with which every new reader begins.
struct Topic: Sendable {
    private(set) var version: UInt64 = 0
    /// The newest frame as a chunk, as it is sent to sockets; `nil` before the first frame.
    private(set) var newestChunk: Bytes?

    /// The version of the newest frame, if there is a frame.
    var newestVersion: UInt64? { newestChunk == nil ? nil : version }

    /// Takes the payload of a newer frame, and makes a chunk of it once for all readers. Returns
    /// `false` if the version is not newer, because versions never go backwards.
    mutating func setNewest(_ frame: Bytes, version: UInt64) -> Bool {
        guard newestChunk == nil || version > self.version else { return false }
        self.version = version
        newestChunk = Chunk.encode(frame)
        return true
    }

    /// Returns the chunks with which a new reader begins.
    func openingChunks(for resume: Resume) -> [Bytes] {
        let current = newestChunk.map { [$0] } ?? []
        switch resume {
        case .fresh: return current
        case .resync(let reason): return [Chunk.encode(reason)] + current
        case .after(let known): return known >= version ? [] : current
        }
    }
}

/// The newest version of a topic in patch mode, and the frames that lead to it.
///
/// A frame is made when the first reader needs it. All readers that have the same version share the
/// frame.
struct PatchFrames: Sendable {
    /// The most patches that are made for one version. The patch from the previous version does not
    /// count. At the bound, readers with other versions get the whole state, which costs less to
    /// make.
    static let patchesMax = 16

    private(set) var newest: (version: UInt64, state: any TopicState)?
    private var previousVersion: UInt64?
    /// The frames that lead to the newest version, each under the version that it starts from.
    private var patchesByStartVersion: [UInt64: Bytes] = [:]
    private var wholeFrame: Bytes?

    /// Takes a newer version. If the version is not newer, takes nothing and returns `false`.
    mutating func setNewest(_ state: any TopicState, version: UInt64) -> Bool {
        if let newest, version <= newest.version { return false }
        previousVersion = newest?.version
        newest = (version, state)
        patchesByStartVersion.removeAll(keepingCapacity: true)
        wholeFrame = nil
        return true
    }

    /// Returns the chunk that brings a reader from its version to the newest; `nil` before the
    /// first version. `earlierState` returns the state of an earlier version, if the state is still
    /// in memory.
    mutating func frame(from known: UInt64?, earlierState: (UInt64) -> (any TopicState)?) -> Bytes?
    {
        guard let newest else { return nil }
        guard let known else { return makeWholeFrame(of: newest.state) }
        if let patch = patchesByStartVersion[known] { return patch }
        guard known == previousVersion || patchesByStartVersion.count < Self.patchesMax,
            let old = earlierState(known)
        else {
            return makeWholeFrame(of: newest.state)
        }
        let patch = newest.state.patchFrame(from: old, skipsVersions: known != previousVersion)
        let frame = patch.map(Chunk.encode) ?? makeWholeFrame(of: newest.state)
        patchesByStartVersion[known] = frame
        return frame
    }

    private mutating func makeWholeFrame(of state: any TopicState) -> Bytes {
        if let wholeFrame { return wholeFrame }
        let frame = Chunk.encode(state.snapshotFrame())
        wholeFrame = frame
        return frame
    }
}

/// Earlier versions of topics, so that readers that are a little behind get patches.
///
/// The bound is for all topics together, and the oldest versions are removed first. The cost of a
/// version is the number of its bytes that the next version does not share.
struct RecentStates: Sendable {
    /// The most versions that are kept.
    static let statesMax = 1_024
    /// The most bytes of the versions together.
    static let bytesMax = 16 << 20

    private struct Key: Hashable {
        let topicNumber: Int32
        let version: UInt64
    }

    private var states: [Key: (state: any TopicState, bytes: Int)] = [:]
    /// The versions from the oldest to the newest.
    private var keysOldestFirst: ArraySlice<Key> = []
    private(set) var unsharedBytes = 0

    var count: Int { states.count }

    /// Returns the state of a topic at exactly this version, if the state is still in memory.
    func state(of topic: Int32, at version: UInt64) -> (any TopicState)? {
        states.isEmpty ? nil : states[Key(topicNumber: topic, version: version)]?.state
    }

    /// Keeps a version that is not the newest any more. `cost` is the number of its bytes that the
    /// newest version does not share.
    mutating func keep(
        _ state: any TopicState,
        of topic: Int32,
        at version: UInt64,
        bytes cost: Int
    ) {
        let place = Key(topicNumber: topic, version: version)
        guard states[place] == nil else { return }
        states[place] = (state, cost)
        keysOldestFirst.append(place)
        unsharedBytes += cost
        while states.count > Self.statesMax || unsharedBytes > Self.bytesMax,
            let oldest = keysOldestFirst.popFirst()
        {
            unsharedBytes -= states.removeValue(forKey: oldest)?.bytes ?? 0
        }
    }

    /// Removes the versions of a topic that has no readers any more.
    mutating func forget(_ topic: Int32) {
        guard !states.isEmpty else { return }
        keysOldestFirst.removeAll { $0.topicNumber == topic }
        for place in states.keys where place.topicNumber == topic {
            unsharedBytes -= states.removeValue(forKey: place)?.bytes ?? 0
        }
    }
}
