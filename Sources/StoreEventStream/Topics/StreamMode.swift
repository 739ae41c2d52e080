/// What the events of a stream carry.
package enum StreamMode: String, Sendable, CaseIterable {
    /// What the stream is about, whole.
    case snapshot
    /// What turns the version that the reader has into the newest.
    case patch
}
