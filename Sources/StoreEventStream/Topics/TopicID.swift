package import StoreTexts

/// The identity of a topic: subject, viewer, mode and coding. All streams of a topic share its
/// frames.
package struct TopicID: Hashable, Sendable {
    package let subject: StreamSubject
    /// The viewer to whom the state is shown; ``Viewer/all`` if every reader of the subject sees
    /// the same.
    package let viewer: Viewer
    package let mode: StreamMode
    package let coding: StreamCoding

    package init(
        _ subject: StreamSubject,
        _ mode: StreamMode = .snapshot,
        for viewer: Viewer = .all,
        coding: StreamCoding = .identity
    ) {
        self.subject = subject
        self.viewer = viewer
        self.mode = mode
        self.coding = coding
    }

    /// Returns the topic in another mode.
    package func carrying(_ mode: StreamMode) -> TopicID {
        TopicID(subject, mode, for: viewer, coding: coding)
    }

    /// Returns the topic for a session.
    package func seen(by session: ExactText?) -> TopicID {
        seen(by: Viewer(session: session))
    }

    /// Returns the topic for another viewer.
    package func seen(by viewer: Viewer) -> TopicID {
        TopicID(subject, mode, for: viewer, coding: coding)
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
