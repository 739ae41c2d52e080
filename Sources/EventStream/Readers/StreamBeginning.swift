package import Wire

/// How a stream begins.
package struct StreamBeginning: Sendable {
    package let opening: Bytes
    package let topic: TopicID
    package let resume: Resume
    package let owner: StreamOwner

    package init(opening: Bytes, topic: TopicID, resume: Resume, owner: StreamOwner) {
        self.opening = opening
        self.topic = topic
        self.resume = resume
        self.owner = owner
    }
}
