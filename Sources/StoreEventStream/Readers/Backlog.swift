package import StoreWire

/// The frames that wait for a reader's socket, as it is sent them. Frames are shared, not copied.
///
/// A short hiccup costs nothing: a few frames wait in order. Beyond that the latest wins: the frame
/// that was begun is finished, and of the others only the newest is kept.
package struct Backlog: Sendable {
    /// The most frames that wait behind the one that is being sent.
    package static let framesMax = 16
    /// The most bytes that these may have together; a single larger frame may still wait.
    package static let bytesMax = 256 << 10

    private var frames: [Bytes]
    /// How much of the first frame is sent.
    private var offset: Int
    private var waitingBytes = 0
    /// Whether the last frame is the stream's last.
    private var isClosing = false

    /// Begins with what is left of a frame.
    package init(_ frame: Bytes, sent offset: Int) {
        frames = [frame]
        self.offset = offset
    }

    package var isEmpty: Bool { frames.isEmpty }

    /// What to send next, and from which byte on.
    package var head: (frame: Bytes, offset: Int)? {
        frames.first.map { ($0, offset) }
    }

    /// Adds a frame. Returns how many frames were left out for it.
    package mutating func add(_ frame: Bytes) -> Int {
        guard !isClosing else { return 1 }
        frames.append(frame)
        waitingBytes += frame.count
        guard frames.count > 2,
            frames.count - 1 > Self.framesMax || waitingBytes > Self.bytesMax
        else { return 0 }
        let skipped = frames.count - 2
        frames.removeSubrange(1..<frames.count - 1)
        waitingBytes = frame.count
        return skipped
    }

    /// Ends the stream with these bytes, after the frame that was begun.
    package mutating func close(with last: Bytes) {
        guard !isClosing else { return }
        let begun = frames.first.map { offset > 0 ? [$0] : [] } ?? []
        frames = begun + [last]
        waitingBytes = last.count
        isClosing = true
    }

    /// Notes that so many bytes of the first frame went out.
    package mutating func sent(_ count: Int) {
        guard let first = frames.first else { return }
        offset += count
        guard offset >= first.count else { return }
        frames.removeFirst()
        offset = 0
        waitingBytes -= frames.first?.count ?? 0
    }
}
