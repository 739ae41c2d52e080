// The frames of the state stream (protocol §4).

extension SSEFrame {
    /// The state at a version. Unnamed in a snapshot stream (4.2), `snapshot` in a patch stream
    /// (4.3).
    package static func state(_ state: Bytes, at tag: Tag, named: Bool = false) -> Bytes {
        encode(event: named ? "snapshot" : nil, id: tag.description, data: state)
    }

    /// What the stream is about is not there at this version (4.5).
    package static func gone(at tag: Tag) -> Bytes {
        encode(event: "gone", id: tag.description, data: "null")
    }

    /// An RFC 6902 patch from the reader's previous id to `tag` (4.3).
    package static func patch(_ patch: Bytes, to tag: Tag) -> Bytes {
        encode(event: "patch", id: tag.description, data: patch)
    }

    /// What a session's screens are to do once (13.7). It has no id, so that it does not change
    /// what a reader resumes from.
    package static func command(_ data: Bytes) -> Bytes {
        encode(event: "command", data: data)
    }

    /// A sign of life without an id, so that it does not change what a reader resumes from (4.7).
    package static func heartbeat(at tag: Tag) -> Bytes {
        let data = "{\"epoch\":\"\(tag.epoch)\",\"version\":\(tag.version)}"
        return encode(event: "heartbeat", data: data)
    }

    /// In how many seconds the stream ends, because its owner's credential does (protocol 17.3).
    package static func expiring(seconds: Int64) -> Bytes {
        Bytes(utf8: "event: expiring\ndata: {\"seconds\":\(seconds)}\n\n")
    }

    /// Why the server is about to close a stream (4.7).
    package enum ByeReason: String, Sendable, CaseIterable {
        case shutdown, expired, lifetime, slow
    }

    /// The last frame of a stream that the server closes (4.7), with the time after which the
    /// reader may come back. It is said in the data, and as `retry:`, which an `EventSource` obeys
    /// by itself.
    package static func bye(_ reason: ByeReason, retryMilliseconds: Int) -> Bytes {
        let wait = max(retryMilliseconds, 0)
        let data = "{\"reason\":\"\(reason.rawValue)\",\"retry\":\(wait)}"
        return Bytes(utf8: "retry: \(wait)\nevent: bye\ndata: \(data)\n\n")
    }

    /// Why a reader cannot go on from the id that it showed (4.6).
    package enum ResyncReason: String, Sendable, CaseIterable {
        case epochChanged = "epoch-changed"
        case malformed
        case historyGone = "history-gone"
        case ahead
    }

    /// The event before a snapshot that is not a continuation (4.6).
    package static func resync(_ reason: ResyncReason) -> Bytes {
        encode(event: "resync", data: "{\"reason\":\"\(reason.rawValue)\"}")
    }

    /// All that was recorded has been sent; what follows is live (5.2).
    package static func caughtUp(at tag: Tag) -> Bytes {
        let data = "{\"epoch\":\"\(tag.epoch)\",\"version\":\(tag.version)}"
        return encode(event: "caught-up", data: data)
    }
}
