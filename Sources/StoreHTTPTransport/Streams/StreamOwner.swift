/// The owner of an open stream: its name, session and credential. A route makes an owner for each
/// stream that a client opens.
package struct StreamOwner: Sendable {
    /// The subscriber's name, if the client gave a name. The recipients of a change are chosen by
    /// name.
    package var name: String?
    /// The client's session, if it has one. The stream ends with the session.
    package var session: String?
    /// A closure that returns true if the session has ended. The writer's thread calls this closure
    /// once, when the stream opens. If the session ends later, ``StreamWriter/endStreams(of:)``
    /// ends the stream.
    package var hasSessionEnded: (@Sendable () -> Bool)?
    /// The client's credential, if the credential can expire or lose its permissions.
    package var credential: StreamCredential?
    /// A closure that is called once, on any thread, when the stream has ended. The closure is
    /// called even if the stream ended before the first byte was sent.
    package var onEnd: (@Sendable () -> Void)?

    package init(name: String? = nil, session: String? = nil) {
        self.name = name
        self.session = session
    }
}

/// The credential of a stream's owner: the time of its end, and a test of the owner's permissions.
package struct StreamCredential: Sendable {
    /// The time, in seconds, from the event that announces the end to the end itself.
    package static let noticeSeconds: Int64 = 60

    /// The end of the credential, in seconds since 1970; `nil` if it has no end.
    package let expiresAt: Int64?
    /// A closure that returns true if the owner may still read the stream. The writer's thread
    /// calls this closure when the stream opens, and when credentials or permissions have changed.
    package let isAllowed: @Sendable () -> Bool

    package init(expiresAt: Int64?, isAllowed: @escaping @Sendable () -> Bool) {
        self.expiresAt = expiresAt
        self.isAllowed = isAllowed
    }
}

/// The id of an open stream, for operators who list streams or close a stream. Two streams of a
/// writer never have the same id, even if both use the same slot one after the other.
///
/// The text `12-3` means the third stream in slot 12.
package struct StreamID: Hashable, Sendable, LosslessStringConvertible {
    /// The index of the stream's slot in its writer, from 0. A later stream uses the slot again.
    package let slot: Int32
    /// The number of streams that have used the slot, this stream included.
    package let generation: UInt32

    package init(slot: Int32, generation: UInt32) {
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
