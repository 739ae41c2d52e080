/// A client that reads a stream and builds the content of the stream's topic.
final class Reader {
    let target: StreamTarget
    /// The name by which actions may select it as a recipient.
    let name: String?
    /// The client's session, principal and sight.
    let reading: Reading
    private let source: EventSource
    private(set) var version: UInt64?
    private(set) var content: StreamTarget.Part?
    /// The state at the last check of the content.
    var looked: StateText?
    /// The newest version with an event since the reader began.
    var shown: UInt64?
    /// The newest version that the reader was left out of, if no event came since.
    var leftOut: UInt64?

    /// Makes a reader of a stream. The reader goes on in the place of an earlier reader, if there
    /// is one.
    init(
        _ target: StreamTarget,
        name: String?,
        as reading: Reading,
        socket: CInt,
        after earlier: Reader? = nil
    ) {
        self.target = target
        self.name = name
        self.reading = reading
        source = EventSource(socket, for: reading)
        version = earlier?.version
        content = earlier?.content
    }

    /// The session of the reader; `nil` if it has none.
    var session: String? { reading.session }

    var isClosed: Bool { source.isClosed }

    /// Reads the events that have come. Returns the events that have a version.
    func take() throws(Violation) -> [(version: UInt64, content: StreamTarget.Part)] {
        var frames: [(version: UInt64, content: StreamTarget.Part)] = []
        for event in try source.take() {
            guard let content = try content(after: event.name, event.data) else { continue }
            guard let version = event.version else {
                throw Violation(.streams, "an event without an id: \(event.name)")
            }
            if let before = self.version, version < before {
                throw Violation(.streams, "\(target.path) goes from \(before) to \(version)")
            }
            self.version = version
            self.content = content
            frames.append((version, content))
        }
        return frames
    }

    /// Returns the content of the stream after an event; `nil` if the event has no content.
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
