package import StoreJSON

// The frames of the state stream (protocol §4).

extension SSEFrame {
    /// Encodes the state at a version. The event has no name in a snapshot stream (4.2), and is
    /// named `snapshot` in a patch stream (4.3).
    package static func state(_ state: Bytes, at tag: Tag, named: Bool = false) -> Bytes {
        encode(event: named ? "snapshot" : nil, id: tag.description, data: state)
    }

    /// Encodes the event for a part or a view that does not exist at this version (4.5).
    package static func gone(at tag: Tag) -> Bytes {
        encode(event: "gone", id: tag.description, data: "null")
    }

    /// Encodes an RFC 6902 patch from the reader's previous id to `tag` (4.3).
    package static func patch(_ patch: Bytes, to tag: Tag) -> Bytes {
        encode(event: "patch", id: tag.description, data: patch)
    }

    /// Encodes a screen command (13.7). The event has no id, so that it does not change the point
    /// from which a reader resumes.
    package static func command(_ data: Bytes) -> Bytes {
        encode(event: "command", data: data)
    }

    /// Encodes a heartbeat. The event has no id, so that it does not change the point from which a
    /// reader resumes (4.7).
    package static func heartbeat(at tag: Tag) -> Bytes {
        encode(event: "heartbeat", data: json(tag))
    }

    /// Encodes the seconds until the stream ends together with its owner's credential (protocol
    /// 17.3).
    package static func expiring(seconds: Int64) -> Bytes {
        Bytes(utf8: "event: expiring\ndata: {\"seconds\":\(seconds)}\n\n")
    }

    /// The reason why the server is about to close a stream (4.7).
    package enum ByeReason: String, Sendable, CaseIterable {
        case shutdown, expired, lifetime, slow
    }

    /// Encodes the last frame of a stream that the server closes (4.7), with the time after which
    /// the reader may reconnect. The data has this time, and so has a `retry:` field, which an
    /// `EventSource` obeys by itself.
    package static func bye(_ reason: ByeReason, retryMilliseconds: Int) -> Bytes {
        let wait = max(retryMilliseconds, 0)
        let data = "{\"reason\":\"\(reason.rawValue)\",\"retry\":\(wait)}"
        return Bytes(utf8: "retry: \(wait)\nevent: bye\ndata: \(data)\n\n")
    }

    /// The reason why a reader cannot resume from its last id (4.6).
    package enum ResyncReason: String, Sendable, CaseIterable {
        case epochChanged = "epoch-changed"
        case malformed
        case historyGone = "history-gone"
        case ahead
    }

    /// Encodes the event before a snapshot that does not continue the reader's stream (4.6).
    package static func resync(_ reason: ResyncReason) -> Bytes {
        encode(event: "resync", data: "{\"reason\":\"\(reason.rawValue)\"}")
    }

    /// Encodes the event between the recorded actions and the live ones (5.2).
    package static func caughtUp(at tag: Tag) -> Bytes {
        encode(event: "caught-up", data: json(tag))
    }

    private static func json(_ tag: Tag) -> String {
        "{\"epoch\":\"\(tag.epoch)\",\"version\":\(tag.version)}"
    }
}
