/// The hash of a session's name. Many sessions that have ended stay recorded, in eight bytes each.
///
/// Two sessions with the same hash count as one session. A change for one of them is then a change
/// for both. Therefore a true condition may fail, but a false condition never holds.
struct SessionHash: Hashable {
    private let hash: Int

    /// Makes the hash for a client's session; without a session, for the session that such clients
    /// share.
    init(_ name: String?) {
        hash = ExactText(name ?? SessionName.shared).hashValue
    }
}
