package import StoreJSON

/// Functions that encode server-sent events (WHATWG HTML standard §9.2).
///
/// Each call makes exactly one frame. A line end in a name, an id or the data cannot begin another
/// field or end the event.
package enum SSEFrame {
    /// Encodes one event.
    ///
    /// Cost: one allocation and one copy. If `data` contains line ends, the function makes a second
    /// pass over `data`.
    ///
    /// - Parameters:
    ///   - event: the name of the event. For an event without a name, a client uses the name
    ///     `message`.
    ///   - id: the id that a client sends as `Last-Event-ID` when it reconnects. An event without
    ///     an id does not change this id.
    ///   - data: UTF-8 text. Each line of the text becomes a `data:` line. The client joins the
    ///     lines with line feeds, whatever line ends `data` has.
    /// - Returns: the frame of the event, with the empty line at its end.
    package static func encode(
        event: String? = nil,
        id: String? = nil,
        data: UnsafeRawBufferPointer
    ) -> Bytes {
        var frame = head(event, id)
        if data.hasLineEnd {
            frame.reserveCapacity(frame.count + data.count + data.count / 8 + 16)
            appendLines(data, &frame)
            frame.append(newline)
            return Bytes(frame)
        }
        frame += dataField
        return Bytes(count: frame.count + data.count + frameEnd.count) { buffer in
            var rest = buffer[...]
            frame.withUnsafeBytes { rest.write($0) }
            rest.write(data)
            frameEnd.withUnsafeBytes { rest.write($0) }
        }
    }

    /// The minimum number of bytes of data that a frame shares without a copy. Smaller data are
    /// copied into the frame.
    package static let sharedBytesMin = 16 << 10

    /// Encodes one event, and shares its data with other objects if possible. For instance,
    /// `GET /state` and a frame can share a snapshot.
    ///
    /// Cost: large data without line ends are not copied. Other data are copied once.
    package static func encode(event: String? = nil, id: String? = nil, data: Bytes) -> Bytes {
        guard data.count >= sharedBytesMin, !data.hasLineEnd else {
            return data.withUnsafeBytes { encode(event: event, id: id, data: $0) }
        }
        let pieces = [Bytes(head(event, id) + dataField)] + data.pieces + [Bytes(frameEnd)]
        return Bytes(joining: pieces, shared: data.count - data.unsharedCount)
    }

    package static func encode(event: String? = nil, id: String? = nil, data: String) -> Bytes {
        Array(data.utf8).withUnsafeBytes { encode(event: event, id: id, data: $0) }
    }

    /// Encodes the time that the client waits before it reconnects.
    package static func retry(milliseconds: Int) -> Bytes {
        Bytes(utf8: "retry: \(max(milliseconds, 0))\n\n")
    }

    private static let newline = UInt8(ascii: "\n")
    private static let frameEnd: [UInt8] = [newline, newline]
    private static let dataField = Array("data: ".utf8)

    /// Returns the fields before the data.
    private static func head(_ event: String?, _ id: String?) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(64)
        if let event { appendField("event: ", event, &head) }
        if let id { appendField("id: ", id, &head) }
        return head
    }

    /// Writes a field, without line ends and NUL in its value. A client would ignore an id that
    /// contains NUL.
    private static func appendField(_ name: String, _ value: String, _ frame: inout [UInt8]) {
        frame += name.utf8
        frame += value.utf8.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
        frame.append(newline)
    }

    /// Writes a `data:` line for each line of the data. A line ends with `\n`, `\r` or `\r\n`.
    private static func appendLines(_ data: UnsafeRawBufferPointer, _ frame: inout [UInt8]) {
        var start = 0
        while true {
            var end = start
            while end < data.count, data[end] != 0x0A, data[end] != 0x0D { end += 1 }
            frame += dataField
            frame += data[start..<end]
            frame.append(newline)
            guard end < data.count else { return }
            let isPair = data[end] == 0x0D && end + 1 < data.count && data[end + 1] == 0x0A
            start = end + (isPair ? 2 : 1)
        }
    }
}

// The frames of streams (protocol §4 and §5).

extension SSEFrame {
    /// Encodes the event with the state at a version. In a snapshot stream, the event has no name
    /// (4.2). In a patch stream, the event has the name `snapshot` (4.3).
    package static func state(_ state: Bytes, at tag: Tag, isNamed: Bool = false) -> Bytes {
        encode(event: isNamed ? "snapshot" : nil, id: tag.description, data: state)
    }

    /// Encodes the event for a part or a view that does not exist at this version (4.5).
    package static func gone(at tag: Tag) -> Bytes {
        encode(event: "gone", id: tag.description, data: "null")
    }

    /// Encodes the event with an RFC 6902 patch that leads from the reader's last version to the
    /// version of `tag` (4.3).
    package static func patch(_ patch: Bytes, to tag: Tag) -> Bytes {
        encode(event: "patch", id: tag.description, data: patch)
    }

    /// Encodes the event with a screen command (13.7). The event has no id, so that it does not
    /// change the version from which a reader resumes.
    package static func command(_ data: Bytes) -> Bytes { encode(event: "command", data: data) }

    /// Encodes the heartbeat event (4.7). The event has no id, so that it does not change the
    /// version from which a reader resumes.
    package static func heartbeat(at tag: Tag) -> Bytes {
        encode(event: "heartbeat", data: json(tag))
    }

    /// Encodes the event `expiring`: after these seconds, the stream ends, because the client's
    /// credential expires (17.3).
    package static func expiring(seconds: Int64) -> Bytes {
        Bytes(utf8: "event: expiring\ndata: {\"seconds\":\(seconds)}\n\n")
    }

    /// The reason why the server closes a stream (4.7).
    package enum ByeReason: String, Sendable, CaseIterable {
        case shutdown, expired, lifetime, slow
    }

    /// Encodes the last frame of a stream that the server closes (4.7). The frame has the time
    /// after which the reader may reconnect, in its data and in a `retry:` field. An `EventSource`
    /// obeys this field automatically.
    package static func bye(_ reason: ByeReason, retryMilliseconds: Int) -> Bytes {
        let wait = max(retryMilliseconds, 0)
        let data = "{\"reason\":\"\(reason.rawValue)\",\"retry\":\(wait)}"
        return Bytes(utf8: "retry: \(wait)\nevent: bye\ndata: \(data)\n\n")
    }

    /// The reason why a stream cannot continue after the reader's last event (4.6).
    package enum ResyncReason: String, Sendable, CaseIterable {
        case epochChanged = "epoch-changed"
        case malformed
        case historyGone = "history-gone"
        case ahead
    }

    /// Encodes the event `resync` (4.6). A reader gets this event first if the stream cannot
    /// continue after the reader's last event.
    package static func resync(_ reason: ResyncReason) -> Bytes {
        encode(event: "resync", data: "{\"reason\":\"\(reason.rawValue)\"}")
    }

    /// Encodes the event `caught-up`: the reader of the log has all actions up to this version. New
    /// actions follow (5.2).
    package static func caughtUp(at tag: Tag) -> Bytes {
        encode(event: "caught-up", data: json(tag))
    }

    private static func json(_ tag: Tag) -> String {
        "{\"epoch\":\"\(tag.epoch)\",\"version\":\(tag.version)}"
    }
}
