package import StoreTexts

/// What a stream is about, as whom it is read, what its events carry, and how they are coded. All
/// streams of one topic are sent the same bytes.
package struct TopicID: Hashable, Sendable {
    package let subject: StreamSubject
    /// As whom it shows the state; as ``Viewer/all`` where all that read it see the same.
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

    /// The same subject in another mode.
    package func carrying(_ mode: StreamMode) -> TopicID {
        TopicID(subject, mode, for: viewer, coding: coding)
    }

    /// The same as a session sees it.
    package func seen(by session: ExactText?) -> TopicID {
        seen(by: Viewer(session: session))
    }

    /// The same as a viewer sees it.
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
