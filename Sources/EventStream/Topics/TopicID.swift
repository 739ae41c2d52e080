import Texts

/// What a stream is about, and what its events carry.
package struct TopicID: Hashable, Sendable {
    package let name: String
    package let mode: StreamMode

    package init(_ name: String) {
        self.init(name, .snapshot)
    }

    private init(_ name: String, _ mode: StreamMode) {
        self.name = name
        self.mode = mode
    }

    /// The same, with events that carry this.
    package func carrying(_ mode: StreamMode) -> TopicID { TopicID(name, mode) }

    /// The whole state.
    package static let state = TopicID("state")
    /// Every applied action.
    package static let actions = TopicID("actions")
}

extension TopicID {
    /// Whether both have the same bytes: topics are named after paths, where text that only looks alike
    /// leads elsewhere.
    package static func == (a: TopicID, b: TopicID) -> Bool {
        a.mode == b.mode && a.name.isSame(as: b.name)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(name))
        hasher.combine(mode)
    }
}

extension TopicID: CustomStringConvertible {
    package var description: String { mode == .patch ? name + "?mode=patch" : name }
}
