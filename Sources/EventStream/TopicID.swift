/// What a stream is about.
package struct TopicID: Hashable, Sendable {
    package let name: String

    package init(_ name: String) {
        self.name = name
    }

    /// The whole state.
    package static let state = TopicID("state")
    /// Every applied action.
    package static let actions = TopicID("actions")
}

extension TopicID {
    /// One module's slice of the state.
    package static func module(_ name: String) -> TopicID { TopicID("modules/" + name) }
}
