/// To whom an open stream belongs, and what follows its end. A route makes one for each stream that
/// a client opens; the transport and the stream writer use it.
package struct StreamOwner: Sendable {
    /// The subscriber's name, where the client gave one: the recipients of a change are chosen by
    /// it.
    package var name: String?
    /// The client's session, where it has one: the stream ends with it.
    package var session: String?
    /// Whether the session has ended. Called when the stream opens, on the writer's thread: the end
    /// of a session ends the streams that are open then.
    package var isOver: (@Sendable () -> Bool)?
    /// By what the client showed who it is, where that can come to an end.
    package var credential: StreamCredential?
    /// Called once when the stream has ended, also where it ended before its first byte was sent.
    /// On any thread.
    package var onEnd: (@Sendable () -> Void)?

    package init(name: String? = nil, session: String? = nil) {
        self.name = name
        self.session = session
    }
}
