/// The contents of a stream's events.
package enum StreamMode: String, Sendable, CaseIterable {
    /// The whole value of the subject.
    case snapshot
    /// The patch from the reader's version to the newest.
    case patch
}
