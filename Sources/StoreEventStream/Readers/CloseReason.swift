/// The reason why the server closes a stream.
package enum CloseReason: String, Sendable, CaseIterable {
    case shutdown, expired, lifetime, slow
}
