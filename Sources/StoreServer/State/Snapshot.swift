import Wire

/// One published version of the state: encoded once, shared by every reader.
final class Snapshot: Sendable {
    let tag: Tag
    /// The tag as an entity tag, quotes included.
    let etag: String
    /// The state as JSON.
    let state: Bytes

    init(tag: Tag, state: Bytes) {
        self.tag = tag
        etag = tag.etag
        self.state = state
    }

    var version: UInt64 { tag.version }
}
