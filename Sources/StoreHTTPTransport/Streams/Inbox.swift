import StoreJSON
import StoreWire

/// The queue of the stream writer: versions and joining readers, in the order in which they came.
///
/// The number of waiting versions and their bytes are bounded. At a bound, a new version takes the
/// place of the older versions of its topic. So the server leaves versions out if too many are
/// published in a short time. The new version then goes to all readers of the topic, because the
/// older versions may have had other recipients.
struct Inbox: Sendable {
    static let versionsMax = 1_024
    /// The most bytes of the waiting versions together.
    static let versionBytesMax = 16 << 20
    /// The most frames without a version that wait.
    static let commandsMax = 1_024

    enum Event: Sendable {
        case publish(TopicVersion, to: TopicID, for: ReaderFilter?)
        /// A reader with its first frame.
        case join(JoiningReader)
        /// A frame without a version, for the readers of the topic at the moment when the frame is
        /// sent.
        case command(TopicID, Bytes)
    }

    private(set) var events: [Event] = []
    private var versionCount = 0
    private var versionBytes = 0
    private var commandCount = 0
    /// The version of the first frame that a waiting reader brings, for each topic.
    private var readersFirstVersions: [TopicID: UInt64] = [:]

    /// True if the waiting versions take less than half of each bound.
    var isLessThanHalfFull: Bool {
        versionCount < Self.versionsMax / 2 && versionBytes < Self.versionBytesMax / 2
    }

    /// Adds a version. Returns the number of older versions that were removed to make room for this
    /// version.
    mutating func addVersion(
        _ version: TopicVersion,
        to topic: TopicID,
        for filter: ReaderFilter? = nil
    ) -> Int {
        var skipped = 0
        if versionCount >= Self.versionsMax
            || versionBytes + version.unsharedByteCount > Self.versionBytesMax,
            versionCount > 0
        {
            skipped = makeRoom(topic)
        }
        // The versions that were left out may have been for other readers, so this version goes to
        // all readers.
        let readers = skipped > 0 ? nil : filter
        events.append(.publish(version, to: topic, for: readers))
        countVersion(version)
        return skipped
    }

    /// Adds a frame without a version. At the bound, adds nothing and returns `false`.
    mutating func addCommand(_ frame: Bytes, to topic: TopicID) -> Bool {
        guard commandCount < Self.commandsMax else { return false }
        commandCount += 1
        events.append(.command(topic, frame))
        return true
    }

    /// Adds a reader. If several readers bring the same first version, only the first of these
    /// readers keeps it.
    mutating func addReader(_ reader: JoiningReader) {
        var reader = reader
        if let version = reader.beginning.firstVersion {
            if readersFirstVersions[reader.beginning.topic] == version.number {
                reader.beginning.firstVersion = nil
            } else {
                readersFirstVersions[reader.beginning.topic] = version.number
                countVersion(version)
            }
        }
        events.append(.join(reader))
    }

    private mutating func countVersion(_ version: TopicVersion) {
        versionCount += 1
        versionBytes += version.unsharedByteCount
    }

    private mutating func makeRoom(_ topic: TopicID) -> Int {
        let before = versionCount
        var kept: [Event] = []
        for event in events {
            if case .publish(let version, topic, _) = event {
                versionCount -= 1
                versionBytes -= version.unsharedByteCount
            } else {
                kept.append(event)
            }
        }
        events = kept
        return before - versionCount
    }
}
