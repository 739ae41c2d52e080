/// The first bytes of a stream, its topic, the point at which it begins, and its owner.
package struct StreamBeginning: Sendable {
    package let head: StreamHead
    package let topic: TopicID
    package let resume: Resume
    package let owner: StreamOwner

    package init(
        _ head: StreamHead,
        topic: TopicID,
        resume: Resume,
        owner: StreamOwner = StreamOwner()
    ) {
        self.head = head
        self.topic = topic
        self.resume = resume
        self.owner = owner
    }
}
