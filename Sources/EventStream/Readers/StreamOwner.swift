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
