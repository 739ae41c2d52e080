import StoreJSON

/// The frames that wait for a reader's socket. Frames are shared with other readers, not copied.
///
/// A short delay loses nothing: a few frames wait in order. At the bound, only the first frame,
/// which may be sent in part, and the newest frame stay. The frames between these two are removed.
struct Backlog: Sendable {
    /// The most frames that wait, besides the frame that is being sent.
    static let framesMax = 16
    /// The most bytes of the waiting frames together. A single frame may be larger.
    static let bytesMax = 256 << 10

    private var frames: [Bytes]
    /// The number of bytes that the socket took of the first frame.
    private var sentBytesOfFirst: Int
    private var waitingBytes = 0
    /// True if the last frame ends the stream.
    private var isClosing = false

    /// Starts with a frame whose first `offset` bytes are sent already.
    init(_ frame: Bytes, sent offset: Int) {
        frames = [frame]
        self.sentBytesOfFirst = offset
    }

    var isEmpty: Bool { frames.isEmpty }

    /// The frame to send next, and the offset of its first unsent byte.
    var head: (frame: Bytes, offset: Int)? { frames.first.map { ($0, sentBytesOfFirst) } }

    /// Adds a frame. Returns the number of frames that were removed or refused.
    mutating func add(_ frame: Bytes) -> Int {
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

    /// Ends the stream with these bytes. The bytes follow the frame that is sent in part, and
    /// replace all other frames.
    mutating func close(with last: Bytes) {
        guard !isClosing else { return }
        let begun = frames.first.map { sentBytesOfFirst > 0 ? [$0] : [] } ?? []
        frames = begun + [last]
        waitingBytes = last.count
        isClosing = true
    }

    /// Notes that the socket took `count` bytes of the first frame.
    mutating func noteSent(_ count: Int) {
        guard let first = frames.first else { return }
        sentBytesOfFirst += count
        guard sentBytesOfFirst >= first.count else { return }
        frames.removeFirst()
        sentBytesOfFirst = 0
        waitingBytes -= frames.first?.count ?? 0
    }
}
