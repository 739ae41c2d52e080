import StoreJSON
package import StoreWire

/// A distributor of versions to the readers of topics, as whole values or as patches.
package struct TopicDistributor: Sendable {
    package let streams: any StreamPublisher
    package let epoch: Epoch

    package init(streams: any StreamPublisher, epoch: Epoch) {
        self.streams = streams
        self.epoch = epoch
    }

    /// Returns true if the topic has readers in any mode, or a place is reserved for a reader.
    func hasReaders(_ topic: TopicID) -> Bool {
        StreamMode.allCases.contains { streams.hasReaders(topic.inMode($0)) }
    }

    /// Sends a version to the readers of a topic. Calls `version` only for modes with readers.
    func distribute(
        to topic: TopicID,
        for filter: ReaderFilter?,
        _ version: (StreamMode) -> TopicVersion
    ) {
        for mode in StreamMode.allCases {
            let topic = topic.inMode(mode)
            guard streams.hasReaders(topic) else { continue }
            streams.publish(version(mode), to: topic, for: filter)
        }
    }

    /// Sends a part of the state that last changed at a version; sends `gone` if the part is `nil`.
    /// `old` is the part before the change.
    func distribute(
        _ part: Bytes?,
        after old: Bytes? = nil,
        to topic: TopicID,
        since number: UInt64,
        for filter: ReaderFilter?
    ) {
        distribute(to: topic, for: filter) {
            topicVersion(of: part, since: number, in: $0, after: old)
        }
    }

    /// Returns the version of a part that last changed at the version `number`. If `isKnown`, the
    /// bytes may have been sent before, and count as shared memory. `old` is the part before the
    /// change, which may share bytes with this version.
    func topicVersion(
        of part: Bytes?,
        since number: UInt64,
        in mode: StreamMode,
        isKnown: Bool = false,
        after old: Bytes? = nil
    ) -> TopicVersion {
        let tag = Tag(epoch: epoch, version: number)
        switch mode {
        case .snapshot:
            let frame = part.map { SSEFrame.state($0, at: tag) } ?? SSEFrame.gone(at: tag)
            guard isKnown, frame.isInPieces else { return TopicVersion(number, frame: frame) }
            let shared = Bytes(joining: frame.pieces, shared: frame.count)
            return TopicVersion(number, frame: shared)
        case .patch:
            let state = PatchState(part, at: tag, after: isKnown ? part : old)
            return TopicVersion(number, state: state)
        }
    }
}
