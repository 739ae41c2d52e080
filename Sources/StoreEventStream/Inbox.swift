package import StoreWire

/// What waits for the stream writer: frames in their order, and readers that join, at their place
/// in that order.
///
/// Bounded in frames and bytes. At the bound a topic's older frames make room for its newest one:
/// under a burst, the server itself leaves versions out.
package struct Inbox<Joining: Sendable>: Sendable {
    /// The most frames that wait.
    package static var framesMax: Int { 1_024 }
    /// The most bytes that they may have together.
    package static var bytesMax: Int { 16 << 20 }
    /// The most frames without a version that wait.
    package static var commandsMax: Int { 1_024 }

    package enum Event: Sendable {
        case publish(TopicID, version: UInt64, Publication, for: StreamAudience?)
        case join(Joining)
        /// A frame without a version, for all that read the topic by then.
        case command(TopicID, Bytes)
    }

    package private(set) var events: [Event] = []
    package private(set) var frames = 0
    package private(set) var bytes = 0
    private var commands = 0
    /// The newest frame of each topic that waits, where it is large.
    private var large: [TopicID: Bytes] = [:]

    package init() {}

    package var isEmpty: Bool { events.isEmpty }

    /// Whether there is room for many more frames.
    package var keepsUp: Bool {
        frames < Self.framesMax / 2 && bytes < Self.bytesMax / 2
    }

    /// Adds a version. Returns how many older ones made room for it.
    package mutating func publish(
        _ topic: TopicID,
        version: UInt64,
        _ publication: Publication,
        for audience: StreamAudience? = nil
    ) -> Int {
        if case .frame(let frame) = publication, frame.count >= SSEFrame.pieceBytesMin {
            // Each of a thousand readers that come at once announces the same frame.
            if large[topic] === frame { return 0 }
            large[topic] = frame
        }
        var skipped = 0
        let size = publication.bytes
        if frames >= Self.framesMax || bytes + size > Self.bytesMax, frames > 0 {
            skipped = makeRoom(topic)
        }
        events.append(.publish(topic, version: version, publication, for: audience))
        frames += 1
        bytes += size
        return skipped
    }

    /// Adds a frame without a version. Returns `false`, and adds nothing, at the bound.
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
    /// Takes all from another inbox, which is empty then.
    package init(taking other: inout Inbox) {
        self = other
        other = Inbox()
    }
}
