package import StoreWire

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
