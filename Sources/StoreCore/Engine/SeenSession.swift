/// A session by the hash of its name: many that have ended are kept, in eight bytes each.
///
/// Two sessions that have the same are taken for one. What changes for one then changes for both,
/// so a condition may fail that holds, and none holds that does not.
struct SeenSession: Hashable {
    private let hash: Int

    /// The one of a client; without a session, the one that such clients share.
    init(_ name: String?) {
        hash = ExactText(name ?? SessionName.shared).hashValue
    }
}
