package import StoreWire

/// What is published of a topic.
package enum Publication: Sendable {
    /// The payload of one frame, the same for all readers.
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
