package import Texts

/// What a stream is about, as whom it is read, what its events carry, and how they are coded. All
/// streams of one topic are sent the same bytes.
package struct TopicID: Hashable, Sendable {
    package let subject: StreamSubject
    /// The session that it shows the state as; `nil` where all that read it see the same.
    package let session: ExactText?
    package let mode: StreamMode
    package let coding: StreamCoding

    package init(
        _ subject: StreamSubject,
        _ mode: StreamMode = .snapshot,
        for session: ExactText? = nil,
        coding: StreamCoding = .identity
    ) {
        self.subject = subject
        self.session = session
        self.mode = mode
        self.coding = coding
    }

    /// The same subject in another mode.
    package func carrying(_ mode: StreamMode) -> TopicID {
        TopicID(subject, mode, for: session, coding: coding)
    }

    /// The same as a session sees it.
    package func seen(by session: ExactText?) -> TopicID {
        TopicID(subject, mode, for: session, coding: coding)
    }

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
