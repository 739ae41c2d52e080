/// What a stream is about, what its events carry, and how they are coded. All streams of one topic
/// are sent the same bytes.
package struct TopicID: Hashable, Sendable {
    package let subject: StreamSubject
    package let mode: StreamMode
    package let coding: StreamCoding

    package init(
        _ subject: StreamSubject,
        _ mode: StreamMode = .snapshot,
        coding: StreamCoding = .identity
    ) {
        self.subject = subject
        self.mode = mode
        self.coding = coding
    }

    /// The same subject in another mode.
    package func carrying(_ mode: StreamMode) -> TopicID { TopicID(subject, mode, coding: coding) }

    /// The whole state.
    package static let state = TopicID(.state)
    /// Every applied action.
    package static let actions = TopicID(.actions)
}

extension TopicID: CustomStringConvertible {
    package var description: String {
        mode == .patch ? subject.description + "?mode=patch" : subject.description
    }
}
