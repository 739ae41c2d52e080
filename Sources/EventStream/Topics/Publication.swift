package import Wire

/// What is published of a topic.
package enum Publication: Sendable {
    /// The same bytes for everyone.
    case frame(Bytes)
    /// What each reader's frame is made of.
    case state(any TopicState)

    var bytes: Int {
        switch self {
        case .frame(let frame): frame.ownCount
        case .state(let state): state.bytes
        }
    }
}
