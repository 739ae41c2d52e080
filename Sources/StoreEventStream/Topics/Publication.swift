package import StoreWire

/// The new version of a topic, as a frame or as a state.
package enum Publication: Sendable {
    /// The payload of one frame, the same for all readers.
    case frame(Bytes)
    /// The state from which the writer makes a frame for each reader.
    case state(any TopicState)

    var bytes: Int {
        switch self {
        case .frame(let frame): frame.ownCount
        case .state(let state): state.bytes
        }
    }
}
