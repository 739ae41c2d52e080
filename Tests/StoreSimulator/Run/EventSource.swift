import Glibc

/// A client's end of a stream, which reads the events as they come.
final class EventSource {
    struct Event {
        var name = "message"
        var id = ""
        var data: [UInt8] = []

        /// The version in the event's id.
        var version: UInt64? { id.split(separator: ":").last.flatMap { UInt64($0) } }
    }

    private let socket: CInt
    private let reading: Reading
    private var bytes: [UInt8] = []
    private var body: [UInt8] = []
    private var isPastHead = false
    private(set) var isClosed = false

    init(_ socket: CInt, for reading: Reading) {
        self.socket = socket
        self.reading = reading
    }

    deinit { close(socket) }

    /// Returns the events that have come.
    func take() throws(Violation) -> [Event] {
        while true {
            let count = withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) {
                let count = recv(socket, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT))
                if count > 0 { bytes += $0[..<count] }
                return count
            }
            if count == 0 { isClosed = true }
            guard count > 0 else { break }
        }
        if bytes.isEmpty { return [] }
        skipHead()
        try takeChunks()
        try reading.search(body, "a stream")
        return takeEvents()
    }

    private func skipHead() {
        guard !isPastHead, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        bytes.removeSubrange(..<end.upperBound)
        isPastHead = true
    }

    private func takeChunks() throws(Violation) {
        guard isPastHead else { return }
        var place = 0
        defer { bytes.removeSubrange(..<place) }
        while let line = bytes[place...].firstRange(of: [0x0D, 0x0A]) {
            let text = String(decoding: bytes[place..<line.lowerBound], as: UTF8.self)
            guard let count = Int(text, radix: 16) else {
                throw Violation(.streams, "a chunk of '\(text)' bytes")
            }
            guard bytes.count >= line.upperBound + count + 2 else { return }
            body += bytes[line.upperBound..<(line.upperBound + count)]
            place = line.upperBound + count + 2
            if count == 0 { isClosed = true }
        }
    }

    private func takeEvents() -> [Event] {
        var events: [Event] = []
        var place = 0
        defer { body.removeSubrange(..<place) }
        while let end = body[place...].firstRange(of: [0x0A, 0x0A]) {
            var event = Event()
            for line in body[place..<end.lowerBound].split(separator: 0x0A) {
                if line.starts(with: "event: ".utf8) {
                    event.name = String(decoding: line.dropFirst(7), as: UTF8.self)
                } else if line.starts(with: "id: ".utf8) {
                    event.id = String(decoding: line.dropFirst(4), as: UTF8.self)
                } else if line.starts(with: "data: ".utf8) {
                    event.data += line.dropFirst(6)
                }
            }
            place = end.upperBound
            events.append(event)
        }
        return events
    }
}

extension Collection<UInt8> where Index == Int {
    func firstRange(of other: [UInt8]) -> Range<Int>? {
        guard let first = other.first, count >= other.count else { return nil }
        let found = withContiguousStorageIfAvailable { bytes -> Int? in
            guard let base = bytes.baseAddress else { return nil }
            var place = 0
            while place + other.count <= bytes.count,
                let found = memchr(base + place, CInt(first), bytes.count - other.count + 1 - place)
            {
                place = UnsafeRawPointer(found) - UnsafeRawPointer(base)
                if memcmp(base + place, other, other.count) == 0 { return place }
                place += 1
            }
            return nil
        }
        guard let found = found ?? nil else { return nil }
        return (startIndex + found)..<(startIndex + found + other.count)
    }
}
