package import StoreWire

/// One version of what a topic is about, of which frames are made when a reader needs them.
///
/// Frames are payload: server-sent events, without chunks.
package protocol TopicState: Sendable {
    /// About how many bytes it has that the version before does not share.
    var bytes: Int { get }

    /// The frame with all of it.
    func whole() -> Bytes

    /// The frame that leads here from an earlier version; `nil` where only ``whole()`` does. Where
    /// versions are left out between the two, there is no patch if ``whole()`` is the smaller one.
    func patch(from old: any TopicState, isSkip: Bool) -> Bytes?

    /// How many of its bytes a newer version does not share: what it costs to keep it.
    func bytesKept(beside newer: any TopicState) -> Int
}
