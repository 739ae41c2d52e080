package import StoreJSON

/// A version of a topic's subject. The writer makes frames of it when readers need them.
///
/// Frames are payload: server-sent events, without chunks.
package protocol TopicState: Sendable {
    /// The approximate number of bytes that this version does not share with the one before.
    var bytes: Int { get }

    /// Returns the frame with the whole value.
    func whole() -> Bytes

    /// Returns the frame that leads to this version from an earlier one; `nil` if there is no such
    /// patch. If versions between the two are left out, a patch that is larger than ``whole()`` is
    /// `nil`, too.
    func patch(from old: any TopicState, isSkip: Bool) -> Bytes?

    /// Returns the number of bytes that a newer version does not share: the cost of keeping this
    /// one.
    func bytesKept(beside newer: any TopicState) -> Int
}

/// Earlier versions of topics, kept so that readers a little behind get patches.
///
/// The bound is for all topics together, and the oldest versions are removed first. The cost of a
/// version is the bytes that the next version does not share.
package struct RecentStates: Sendable {
    /// The most versions that are kept.
    package static let statesMax = 1_024
    /// The most bytes of the versions together.
    package static let bytesMax = 16 << 20

    private struct Place: Hashable {
        let topic: Int32
        let version: UInt64
    }

    private var states: [Place: (state: any TopicState, bytes: Int)] = [:]
    /// The versions from the oldest to the newest.
    private var order: ArraySlice<Place> = []
    package private(set) var bytes = 0

    package init() {}

    package var count: Int { states.count }

    /// Returns the state of a topic at exactly this version, if it is still kept.
    package func state(of topic: Int32, at version: UInt64) -> (any TopicState)? {
        states.isEmpty ? nil : states[Place(topic: topic, version: version)]?.state
    }

    /// Keeps a version that is no longer the newest. `cost` is its number of bytes that the newer
    /// version does not share.
    package mutating func keep(
        _ state: any TopicState,
        of topic: Int32,
        at version: UInt64,
        bytes cost: Int
    ) {
        let place = Place(topic: topic, version: version)
        guard states[place] == nil else { return }
        states[place] = (state, cost)
        order.append(place)
        bytes += cost
        while states.count > Self.statesMax || bytes > Self.bytesMax, let oldest = order.popFirst()
        {
            bytes -= states.removeValue(forKey: oldest)?.bytes ?? 0
        }
    }

    /// Removes the versions of a topic that has no readers any more.
    package mutating func forget(_ topic: Int32) {
        guard !states.isEmpty else { return }
        order.removeAll { $0.topic == topic }
        for place in states.keys where place.topic == topic {
            bytes -= states.removeValue(forKey: place)?.bytes ?? 0
        }
    }
}
