package import EventStream

/// An open stream, as an operator sees it.
package struct OpenStream: Sendable {
    package let id: StreamID
    package let topic: TopicID
    let address: PeerAddress
    /// How long it has been open, in whole seconds.
    package let seconds: Int
    /// The version that its reader certainly has been sent; `nil` where that is none.
    package let version: UInt64?
    /// Whether its reader has not taken everything that was sent.
    package let isBehind: Bool

    /// Where its reader is: an address with a port, or `unix`.
    package var peer: String { address.text }
}

/// Who reads a stream.
package struct StreamOwner: Sendable {
    /// By what frames may mean the reader, or leave it out.
    package var name: String?
    /// With whose end the stream ends, too.
    package var session: String?
    /// What is done when the stream has ended. Any thread.
    package var left: (@Sendable () -> Void)?

    package init(name: String? = nil, session: String? = nil) {
        self.name = name
        self.session = session
    }
}

/// What a stream is called while it is open; no other of the same process has the same.
///
/// As text, `12-3`: the third reader in the twelfth place.
package struct StreamID: Hashable, Sendable, LosslessStringConvertible {
    let slot: Int32
    let generation: UInt32

    init(slot: Int32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    package init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let slot = Int32(parts[0]), let generation = UInt32(parts[1]),
            description == "\(slot)-\(generation)"
        else { return nil }
        self.init(slot: slot, generation: generation)
    }

    package var description: String { "\(slot)-\(generation)" }
}
