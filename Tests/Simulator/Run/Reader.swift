import Glibc

/// A client that reads a stream and puts together what it is about.
final class Reader {
    let target: StreamTarget
    /// By what actions may mean it.
    let name: String?
    private let socket: CInt
    private var bytes: [UInt8] = []
    private var body: [UInt8] = []
    private(set) var version: UInt64?
    private(set) var content: StreamTarget.Part?
    private(set) var isClosed = false
    /// The newest version that it was left out of, where it was not told since.
    var leftOut: UInt64?

    init(_ target: StreamTarget, name: String?, socket: CInt) {
        self.target = target
        self.name = name
        self.socket = socket
    }

    deinit { close(socket) }

    /// Takes what has come. Answers the events that tell of a version.
    func take() throws(Violation) -> [(version: UInt64, content: StreamTarget.Part)] {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(socket, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            guard count > 0 else {
                if count == 0 { isClosed = true }
                break
            }
            bytes += buffer[..<count]
        }
        skipHead()
        try takeChunks()
        return try takeEvents()
    }

    private var isPastHead = false

    private func skipHead() {
        guard !isPastHead, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        bytes.removeSubrange(..<end.upperBound)
        isPastHead = true
    }

    private func takeChunks() throws(Violation) {
        guard isPastHead else { return }
        while let line = bytes.firstRange(of: [0x0D, 0x0A]) {
            let text = String(decoding: bytes[..<line.lowerBound], as: UTF8.self)
            guard let count = Int(text, radix: 16) else {
                throw Violation(.streams, "a chunk of '\(text)' bytes")
            }
            guard bytes.count >= line.upperBound + count + 2 else { return }
            body += bytes[line.upperBound..<(line.upperBound + count)]
            bytes.removeSubrange(..<(line.upperBound + count + 2))
            if count == 0 { isClosed = true }
        }
    }

    private func takeEvents() throws(Violation) -> [(UInt64, StreamTarget.Part)] {
        var told: [(UInt64, StreamTarget.Part)] = []
        while let end = body.firstRange(of: [0x0A, 0x0A]) {
            let lines = body[..<end.lowerBound].split(separator: 0x0A)
            body.removeSubrange(..<end.upperBound)
            var (event, id, data) = ("message", "", [UInt8]())
            for line in lines {
                if line.starts(with: "event: ".utf8) {
                    event = String(decoding: line.dropFirst(7), as: UTF8.self)
                } else if line.starts(with: "id: ".utf8) {
                    id = String(decoding: line.dropFirst(4), as: UTF8.self)
                } else if line.starts(with: "data: ".utf8) {
                    data += line.dropFirst(6)
                }
            }
            if let content = try content(after: event, data) {
                guard let version = id.split(separator: ":").last.flatMap({ UInt64($0) }) else {
                    throw Violation(.streams, "an event without an id: \(event)")
                }
                if let before = self.version, version < before {
                    throw Violation(.streams, "\(target.path) goes from \(before) to \(version)")
                }
                self.version = version
                self.content = content
                told.append((version, content))
            }
        }
        return told
    }

    /// What the stream is about after an event; `nil` where that tells nothing about it.
    private func content(
        after event: String,
        _ data: [UInt8]
    ) throws(Violation) -> StreamTarget.Part? {
        switch event {
        case "message", "snapshot": return .json(Bytewise(data))
        case "gone": return .absent
        case "patch":
            guard case .json(let old)? = content, let new = JSONText.patched(old.bytes, by: data)
            else {
                throw Violation(
                    .streams,
                    "\(target.path): \(Bytewise(data)) can't be applied to \(content as Any)"
                )
            }
            return .json(new)
        default: return nil
        }
    }
}

extension [UInt8] {
    func firstRange(of other: [UInt8]) -> Range<Int>? {
        guard count >= other.count else { return nil }
        for start in 0...(count - other.count) where self[start] == other[0] {
            if self[start..<(start + other.count)].elementsEqual(other) {
                return start..<(start + other.count)
            }
        }
        return nil
    }
}
