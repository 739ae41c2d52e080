package import StoreEventStream
package import StoreWire

/// A sender of parts of the state, whole or as patches.
package struct PartSender: Sendable {
    package let streams: any StreamPublisher
    package let epoch: Epoch

    package init(
        streams: any StreamPublisher,
        epoch: Epoch
    ) {
        self.streams = streams
        self.epoch = epoch
    }

    /// True if the topic has readers in any mode, or a place is reserved for a reader.
    package func isRead(_ topic: TopicID) -> Bool {
        StreamMode.allCases.contains { streams.isRead(topic.carrying($0)) }
    }

    /// Sends a part as it is since a version; sends `gone` if the part is `nil`. If `isKnown`, the
    /// bytes may have been sent before, and count as shared memory.
    package func send(
        _ part: Bytes?,
        to topic: TopicID,
        since version: UInt64,
        for audience: StreamAudience? = nil,
        isKnown: Bool = false
    ) {
        let tag = Tag(epoch: epoch, version: version)
        if streams.isRead(topic) {
            let frame = part.map { SSEFrame.state($0, at: tag) } ?? SSEFrame.gone(at: tag)
            let isShared = isKnown && frame.isInPieces
            streams.publish(
                topic: topic,
                version: version,
                frame: isShared ? Bytes(joining: frame.pieces, shared: frame.count) : frame,
                for: audience
            )
        }
        if streams.isRead(topic.carrying(.patch)) {
            streams.publish(
                topic: topic.carrying(.patch),
                version: version,
                state: PatchState(part, at: tag, isKnown: isKnown),
                for: audience
            )
        }
    }
}
