/// The owner of an open stream: its name, session and credential. A route makes one for each stream
/// that a client opens. The transport and the stream writer use it.
package struct StreamOwner: Sendable {
    /// The subscriber's name, if the client gave one. The recipients of a change are chosen by this
    /// name.
    package var name: String?
    /// The client's session, if it has one. The stream ends with the session.
    package var session: String?
    /// Returns true if the session has ended. The writer's thread calls this closure once, when the
    /// stream opens. Later, the end of the session ends its open streams.
    package var isOver: (@Sendable () -> Bool)?
    /// The client's credential, if it can expire or lose its permissions.
    package var credential: StreamCredential?
    /// A closure that is called once, on any thread, when the stream has ended. The call comes even
    /// if the stream ended before its first byte was sent.
    package var onEnd: (@Sendable () -> Void)?

    package init(name: String? = nil, session: String? = nil) {
        self.name = name
        self.session = session
    }
}
