/// A client that reads a stream and puts together what it is about.
final class Reader {
    let target: StreamTarget
    /// By what actions may mean it.
    let name: String?
    /// As whom it reads.
    let reading: Reading
    private let source: EventSource
    private(set) var version: UInt64?
    private(set) var content: StreamTarget.Part?
    /// The state at which its content was looked at last.
    var looked: StateText?
    /// The newest version of which it has had an event since it began to read.
    var shown: UInt64?
    /// The newest version whose event it did not get, where it has got none since.
    var leftOut: UInt64?

    /// A reader of a stream, which goes on in the place of an earlier one where that is given.
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

    /// The session in which it reads; `nil` for none.
    var session: String? { reading.session }

    var isClosed: Bool { source.isClosed }

    /// Takes what has come. Returns the events that have a version.
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

    /// What the stream is about after an event; `nil` where that has nothing of it.
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
