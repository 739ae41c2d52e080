import EventStream
import HTTPTransport
import StoreCore
import Wire

/// Sends a part of the state to those who read it, whole or in patches.
struct PartSender: Sendable {
    let streams: StreamWriter
    let epoch: Epoch

    /// Whether anybody reads it, or is about to.
    func isRead(_ topic: TopicID) -> Bool {
        StreamMode.allCases.contains { streams.isRead(topic.carrying($0)) }
    }

    /// Sends what a part is since a version; `nil` says that it is not there.
    func send(
        _ part: Bytes?,
        to topic: TopicID,
        since version: UInt64,
        for audience: Audience? = nil
    ) {
        let tag = Tag(epoch: epoch, version: version)
        if streams.isRead(topic) {
            let frame = part.map { SSEFrame.state($0, at: tag) } ?? SSEFrame.gone(at: tag)
            streams.publish(
                topic: topic,
                version: version,
                frame: Chunk.of(frame),
                for: audience?.includes
            )
        }
        if streams.isRead(topic.carrying(.patch)) {
            streams.publish(
                topic: topic.carrying(.patch),
                version: version,
                state: PatchState(part, at: tag),
                for: audience?.includes
            )
        }
    }
}
