import Glibc
import StoreJSON
package import StoreWire
import Synchronization

// Requests to a writer: the requests of operators, and the requests to end streams because memory
// is scarce. The writer's thread answers these requests in its turns.

extension StreamWriter {
    /// Requests the list of open streams. Any thread may call this function. The writer's thread
    /// calls `answer` once.
    ///
    /// Making the list delays all streams, by about a microsecond for each open stream.
    package func listStreams(_ answer: @escaping @Sendable ([OpenStream]) -> Void) {
        submit(.list(answer))
    }

    /// Requests the end of a stream. The stream gets `bye` after the frame that is sent in part.
    /// Any thread may call this function. The writer's thread calls `answer` once, with `true` if
    /// there is such a stream.
    ///
    /// If the reader takes nothing, the stream lasts until the reader has stalled for
    /// ``StreamLimits/stallSeconds``.
    package func endStream(_ id: StreamID, _ answer: @escaping @Sendable (Bool) -> Void) {
        submit(.end(id, answer))
    }

    /// Ends the streams of a session. Each stream gets `bye`. Any thread may call this function.
    package func endStreams(of session: String) { submit(.endSession(session)) }

    /// Ends the streams that their owners may no longer read. Each stream gets `bye`. Any thread
    /// may call this function.
    package func endForbiddenStreams() { submit(.endForbidden) }

    /// True if new streams are refused because memory is scarce. Any thread may read or set this
    /// property.
    package var isShedding: Bool {
        get { sheddingFlag.load(ordering: .relaxed) }
        set { sheddingFlag.store(newValue, ordering: .relaxed) }
    }

    /// Ends a fraction of the streams whose readers are behind, but at least one of these streams.
    /// The streams whose readers have taken nothing for the longest time end first. A reader that
    /// is behind may keep a state in memory that no other reader needs. Any thread may call this
    /// function, which never waits.
    package func shed(fraction: Double) { submit(.shed(fraction)) }
}

extension StreamLoop {
    func answer(_ request: StreamRequest) {
        switch request {
        case .list(let answer): answer(openStreams)
        case .end(let id, let answer): answer(endStream(id))
        case .endSession(let session):
            for (slot, owner) in sessionsBySlot where owner == session { closeAsExpired(slot) }
        case .shed(let fraction): shed(fraction)
        case .endForbidden:
            for (slot, credential) in credentialsBySlot where !credential.isAllowed() {
                closeAsExpired(slot)
            }
        }
    }

    /// The open streams in the order of their slots.
    private var openStreams: [OpenStream] {
        slots.indices.compactMap { index in
            let slot = slots[index]
            guard slot.descriptor >= 0 else { return nil }
            let readers = topics[Int(slot.topicNumber)]
            let behind = behindReaders[Int32(index)]
            let reader = logReaders[Int32(index)]
            let sent =
                readers.id.mode == .patch
                ? knownVersion(of: Int32(index)) : readers.topic.newestVersion
            let newest = behind == nil ? sent : behind?.versionBeforeBacklog
            return OpenStream(
                id: StreamID(slot: Int32(index), generation: slot.generation),
                topic: readers.id,
                address: SocketAddress(of: slot.descriptor, by: getpeername),
                openSeconds: max(0, Int(now) - Int(slot.joinedAt)),
                version: reader == nil ? newest : reader?.knownVersion,
                isBehind: behind != nil
                    || reader.map { $0.version < log?.newestVersion ?? 0 } == true
            )
        }
    }

    private func endStream(_ id: StreamID) -> Bool {
        let index = Int(id.slot)
        guard slots.indices.contains(index), slots[index].descriptor >= 0,
            slots[index].generation == id.generation
        else { return false }
        closeAsExpired(id.slot)
        return true
    }

    func closeAsExpired(_ slot: Int32) {
        if behindReaders[slot]?.isClosing != true {
            closeSlot(slot, with: byeFrame(.expired), because: .expired)
        }
    }

    /// Ends the streams of a fraction of the readers that are behind.
    func shed(_ fraction: Double) {
        let oldest = behindReaders.sorted { $0.value.progressedAt < $1.value.progressedAt }.map(
            \.key
        )
        let count = min(oldest.count, Int((Double(oldest.count) * fraction).rounded(.up)))
        let bye = byeFrame(.slow)
        for slot in oldest.prefix(count) {
            endSlow(slot, with: bye)
            writer.counters.readersShed.add(1, ordering: .relaxed)
        }
        // A reader of the log in the middle of a chunk keeps a piece of the log in memory. So the
        // stream of this reader ends, too.
        for slot in logReaders.stalledSlots(for: Self.shedLogSeconds, at: now)
        where behindReaders[slot] == nil {
            slots[Int(slot)].end(because: .slow)
            writer.counters.readersShed.add(1, ordering: .relaxed)
            release(slot)
        }
    }

    /// The seconds after which, while memory is scarce, the stream of a reader of the log ends if
    /// the reader takes nothing.
    private static let shedLogSeconds = 1.0

    /// Ends the stream of a reader that takes nothing.
    func endSlow(_ slot: Int32, with bye: Bytes) {
        slots[Int(slot)].end(because: .slow)
        // If a frame is sent in part, the reader would read the last frame as the rest of that
        // frame.
        if behindReaders[slot]?.backlog.head?.offset == 0 { _ = send(bye, to: slot) }
        release(slot)
    }
}

/// An open stream, as an operator sees it.
package struct OpenStream: Sendable {
    package let id: StreamID
    package let topic: TopicID
    let address: SocketAddress
    /// The time for which the stream has been open, in whole seconds.
    package let openSeconds: Int
    /// The newest version that was certainly sent to the reader; `nil` if there is none.
    package let version: UInt64?
    /// True if the reader has not taken every byte that was published for the reader.
    package let isBehind: Bool

    /// The reader's address with its port, or `unix`.
    package var peer: String { address.text }
}
