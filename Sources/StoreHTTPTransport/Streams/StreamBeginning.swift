package import StoreJSON
package import StoreWire

/// A stream's first bytes, topic, owner and first frame, and the point at which it begins.
package struct StreamBeginning: Sendable {
    package let head: StreamHead
    package let topic: TopicID
    package let resume: Resume
    package let owner: StreamOwner
    /// The version with which the stream begins, unless the topic has a newer version by then.
    /// `nil` if the version is published later, or is in the head.
    package var firstVersion: TopicVersion?

    package init(
        _ head: StreamHead,
        topic: TopicID,
        resume: Resume,
        owner: StreamOwner = StreamOwner(),
        firstVersion: TopicVersion? = nil
    ) {
        self.head = head
        self.topic = topic
        self.resume = resume
        self.owner = owner
        self.firstVersion = firstVersion
    }
}

/// The bytes that a stream sends before the frames of its topic.
package struct StreamHead: Sendable {
    /// The head of the HTTP response with its blank line, without a content coding and outside of
    /// all chunks.
    package let responseHead: Bytes
    /// The first payload of the stream; may be empty.
    package let payload: Bytes

    package init(responseHead: Bytes, payload: Bytes = Bytes([])) {
        self.responseHead = responseHead
        self.payload = payload
    }

    /// Returns a head with these frames added to the payload.
    package func followed(by frames: [Bytes]) -> StreamHead {
        StreamHead(responseHead: responseHead, payload: Bytes(joining: [payload] + frames))
    }
}

/// The point at which a stream begins, which depends on the version that its reader has.
package enum Resume: Sendable, Equatable {
    /// The reader has no version: the stream begins with the newest frame.
    case fresh
    /// The reader has this version: the stream begins with the next version.
    case after(version: UInt64)
    /// The stream cannot go on from the reader's version. The stream begins with the frame of a
    /// `resync`, which has the reason. The newest frame follows.
    case resync(Bytes)
}
