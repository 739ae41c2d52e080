#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Encodes server-sent events as the WHATWG HTML standard §9.2 reads them.
///
/// Whatever is given, one call makes one frame: no line end in a name, an id or in data can begin
/// a field or end the event.
package enum SSEFrame {
    /// One event.
    ///
    /// Cost: one allocation and one copy; a second pass over `data` where it holds line ends.
    ///
    /// - Parameters:
    ///   - event: its name; without one it is a `message`.
    ///   - id: what the client shows as `Last-Event-ID` when it comes back; without one, the last
    ///     id stays.
    ///   - data: UTF-8. Each of its lines becomes one `data:` line, so the client gets them joined
    ///     with a line feed, whichever line end was used.
    /// - Returns: the whole event, with the empty line that ends it.
    package static func encode(
        event: String? = nil,
        id: String? = nil,
        data: UnsafeRawBufferPointer
    ) -> Bytes {
        var head: [UInt8] = []
        head.reserveCapacity(64)
        if let event { field("event", event, &head) }
        if let id { field("id", id, &head) }

        guard containsLineEnd(data) else { return joined(head, dataField, data, frameEnd) }
        var body: [UInt8] = []
        body.reserveCapacity(data.count + data.count / 8 + 16)
        appendLines(data, &body)
        body.append(newline)
        return body.withUnsafeBytes { joined(head, [], $0, []) }
    }

    /// One event whose data are already in an array.
    package static func encode(
        event: String? = nil,
        id: String? = nil,
        data: [UInt8]
    ) -> Bytes {
        data.withUnsafeBytes { encode(event: event, id: id, data: $0) }
    }

    /// From how many bytes on data are not copied into a frame, but become a piece of it.
    package static let pieceBytesMin = 16 << 10

    /// One event whose data are shared, such as the snapshot that `GET /state` also answers with.
    ///
    /// Cost: of large data in one line, none is copied.
    package static func encode(
        event: String? = nil,
        id: String? = nil,
        data: Bytes
    ) -> Bytes {
        guard data.count >= pieceBytesMin, !data.hasLineEnd else {
            return data.withUnsafeBytes { encode(event: event, id: id, data: $0) }
        }
        var head: [UInt8] = []
        head.reserveCapacity(64)
        if let event { field("event", event, &head) }
        if let id { field("id", id, &head) }
        head += dataField
        let pieces = [Bytes(head)] + data.pieces + [Bytes(frameEnd)]
        return Bytes(joining: pieces, shared: data.count - data.ownCount)
    }

    /// One event whose data are text.
    package static func encode(
        event: String? = nil,
        id: String? = nil,
        data: String
    ) -> Bytes {
        encode(event: event, id: id, data: Array(data.utf8))
    }

    /// How long the client waits before it connects again.
    package static func retry(milliseconds: Int) -> Bytes {
        Bytes(utf8: "retry: \(max(milliseconds, 0))\n\n")
    }

    private static let newline = UInt8(ascii: "\n")
    private static let frameEnd: [UInt8] = [newline, newline]
    private static let dataField = Array("data: ".utf8)

    private static func field(_ name: String, _ value: String, _ frame: inout [UInt8]) {
        frame += name.utf8
        frame.append(UInt8(ascii: ":"))
        frame.append(UInt8(ascii: " "))
        frame += oneLine(value)
        frame.append(newline)
    }

    /// The value without line ends, and without NUL, for which a client drops the whole id.
    private static func oneLine(_ value: String) -> [UInt8] {
        value.utf8.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
    }

    private static func containsLineEnd(_ data: UnsafeRawBufferPointer) -> Bool {
        guard let start = data.baseAddress, !data.isEmpty else { return false }
        return memchr(start, 0x0A, data.count) != nil || memchr(start, 0x0D, data.count) != nil
    }

    /// Writes a `data:` line for each line; `\n`, `\r` and `\r\n` each end one.
    private static func appendLines(_ data: UnsafeRawBufferPointer, _ body: inout [UInt8]) {
        var start = 0
        while true {
            var end = start
            while end < data.count, data[end] != 0x0A, data[end] != 0x0D { end += 1 }
            body += dataField
            body += data[start..<end]
            body.append(newline)
            guard end < data.count else { return }
            let isPair = data[end] == 0x0D && end + 1 < data.count && data[end + 1] == 0x0A
            start = end + (isPair ? 2 : 1)
        }
    }

    private static func joined(
        _ head: [UInt8],
        _ field: [UInt8],
        _ data: UnsafeRawBufferPointer,
        _ end: [UInt8]
    ) -> Bytes {
        Bytes(count: head.count + field.count + data.count + end.count) { target in
            var count = 0
            head.withUnsafeBytes { copy($0, target, &count) }
            field.withUnsafeBytes { copy($0, target, &count) }
            copy(data, target, &count)
            end.withUnsafeBytes { copy($0, target, &count) }
        }
    }

    private static func copy(
        _ source: UnsafeRawBufferPointer,
        _ target: UnsafeMutableRawBufferPointer,
        _ count: inout Int
    ) {
        guard !source.isEmpty else { return }
        UnsafeMutableRawBufferPointer(rebasing: target[count...]).copyMemory(from: source)
        count += source.count
    }
}
