/// Versions that are no longer the newest of their topics, kept for readers that are a little
/// behind.
///
/// Bounded for all topics together; the oldest go first. A version costs what the one after it does
/// not share.
package struct RecentStates: Sendable {
    /// The most versions that are kept.
    package static let statesMax = 1_024
    /// The most bytes that they may have together.
    package static let bytesMax = 16 << 20

    private struct Place: Hashable {
        let topic: Int32
        let version: UInt64
    }

    private var states: [Place: (state: any TopicState, bytes: Int)] = [:]
    /// From the oldest to the newest.
    private var order: ArraySlice<Place> = []
    package private(set) var bytes = 0

    package init() {}

    package var count: Int { states.count }

    /// The state of a topic at exactly this version, where it is still kept.
    package func state(of topic: Int32, at version: UInt64) -> (any TopicState)? {
        states.isEmpty ? nil : states[Place(topic: topic, version: version)]?.state
    }

    /// Keeps a version that a newer one has taken the place of, which costs so many bytes.
    package mutating func keep(
        _ state: any TopicState,
        of topic: Int32,
        at version: UInt64,
        bytes cost: Int
    ) {
        let place = Place(topic: topic, version: version)
        guard states.updateValue((state, cost), forKey: place) == nil else { return }
        order.append(place)
        bytes += cost
        while states.count > Self.statesMax || bytes > Self.bytesMax, let oldest = order.popFirst()
        {
            bytes -= states.removeValue(forKey: oldest)?.bytes ?? 0
        }
    }

    /// Forgets the versions of a topic that has no readers any more.
    package mutating func forget(_ topic: Int32) {
        guard !states.isEmpty else { return }
        order.removeAll { $0.topic == topic }
        for place in states.keys where place.topic == topic {
            bytes -= states.removeValue(forKey: place)?.bytes ?? 0
        }
    }
}
