package import StoreJSON
import StoreWire

/// The queue of the stream writer: frames and joining readers, in the order in which they came.
///
/// Frames have a bound in number and in bytes. At the bound, a new frame takes the place of the
/// older frames of its topic. So under a burst, the server leaves versions out. The frame then goes
/// to all readers of the topic, because the older frames may have had other recipients.
package struct Inbox<Joining: Sendable>: Sendable {
    /// The most frames that wait.
    package static var framesMax: Int { 1_024 }
    /// The most bytes of the waiting frames together.
    package static var bytesMax: Int { 16 << 20 }
    /// The most frames without a version that wait.
    package static var commandsMax: Int { 1_024 }

    package enum Event: Sendable {
        case publish(TopicID, version: UInt64, Publication, for: StreamAudience?)
        case join(Joining)
        /// A frame without a version, for the readers that the topic has when the writer comes to
        /// it.
        case command(TopicID, Bytes)
    }

    package private(set) var events: [Event] = []
    package private(set) var frames = 0
    package private(set) var bytes = 0
    private var commands = 0
    /// The newest large frame of each topic that waits.
    private var large: [TopicID: Bytes] = [:]

    package init() {}

    package var isEmpty: Bool { events.isEmpty }

    /// True if less than half of the frames and of the bytes are used.
    package var keepsUp: Bool {
        frames < Self.framesMax / 2 && bytes < Self.bytesMax / 2
    }

    /// Adds a version. Returns the number of older versions that were removed for it.
    package mutating func add(
        _ topic: TopicID,
        version: UInt64,
        _ publication: Publication,
        for audience: StreamAudience? = nil
    ) -> Int {
        if audience == nil, case .frame(let frame) = publication,
            frame.count >= SSEFrame.pieceBytesMin
        {
            // A thousand readers may come at once, and the same frame is published for each.
            if large[topic] === frame { return 0 }
            large[topic] = frame
        }
        var skipped = 0
        let size = publication.bytes
        if frames >= Self.framesMax || bytes + size > Self.bytesMax, frames > 0 {
            skipped = makeRoom(topic)
        }
        // An older version that is left out may have been for other readers.
        let readers = skipped > 0 ? nil : audience
        events.append(.publish(topic, version: version, publication, for: readers))
        frames += 1
        bytes += size
        return skipped
    }

    /// Adds a frame without a version. At the bound, adds nothing and returns `false`.
    package mutating func send(_ frame: Bytes, to topic: TopicID) -> Bool {
        guard commands < Self.commandsMax else { return false }
        commands += 1
        events.append(.command(topic, frame))
        return true
    }

    package mutating func join(_ reader: Joining) {
        events.append(.join(reader))
    }

    private mutating func makeRoom(_ topic: TopicID) -> Int {
        let before = frames
        var kept: [Event] = []
        for event in events {
            if case .publish(topic, _, let publication, _) = event {
                frames -= 1
                bytes -= publication.bytes
            } else {
                kept.append(event)
            }
        }
        events = kept
        return before - frames
    }
}

extension Inbox {
    /// Takes the whole contents of another inbox, which is empty afterwards.
    package init(taking other: inout Inbox) {
        self = other
        other = Inbox()
    }
}
