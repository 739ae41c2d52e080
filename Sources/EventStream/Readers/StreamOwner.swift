/// The reader of a stream.
package struct StreamOwner: Sendable {
    /// The name by which frames select readers.
    package var name: String?
    /// The session whose end also ends the stream.
    package var session: String?
    /// Called once when the stream has ended. Any thread.
    package var onEnd: (@Sendable () -> Void)?

    package init(name: String? = nil, session: String? = nil) {
        self.name = name
        self.session = session
    }
}
