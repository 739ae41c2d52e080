import CStoreHTTPD
import StoreJSON
import StoreWire
import Synchronization

// Large frames are sent in turns. While actions are applied, there are pauses between the turns,
// because dispatching goes first. While a reader is being sent a large frame, no other frames of
// the topic are queued for the reader. Afterwards the reader gets the newest version.

extension StreamLoop {
    /// The size in bytes from which a frame is large.
    static let largeBytesMin = 256 << 10
    /// The most bytes that one turn sends to readers of large frames. The remaining readers get
    /// their bytes in the next turn.
    static let flushTurnBytesMax = 1 << 20

    /// True if at least ``largeBytesMin`` bytes of the first frame in a reader's backlog are
    /// unsent.
    func hasLargeBacklog(_ slot: Int32) -> Bool {
        guard let (frame, offset) = behindReaders[slot]?.backlog.head else { return false }
        return frame.count - offset >= Self.largeBytesMin
    }

    /// Puts a reader whose socket takes more bytes into the queue for turns.
    func queueForTurn(_ slot: Int32) {
        guard behindReaders[slot]?.awaitsTurn == false else { return }
        watch(slot, EPOLL_CTL_MOD, forWriting: false)
        behindReaders[slot]?.awaitsTurn = true
        turnQueue.append(slot)
    }

    /// Sends bytes of large frames to the readers in the queue for turns, unless there is a pause.
    func takeTurns() {
        guard !turnQueue.isEmpty, largeFramePace.pauseSeconds(at: now) == 0 else { return }
        var turnCount = 0
        while turnCount < turnQueue.count, flushedBytes < Self.flushTurnBytesMax,
            turnCount == 0 || !isTurnOver
        {
            let slot = turnQueue[turnCount]
            turnCount += 1
            guard behindReaders[slot]?.awaitsTurn == true else { continue }
            behindReaders[slot]?.awaitsTurn = false
            // The wait for the turn does not count as a stall of the reader.
            behindReaders[slot]?.progressedAt = now
            flush(slot)
            if behindReaders[slot] != nil { watch(slot, EPOLL_CTL_MOD, forWriting: true) }
        }
        turnQueue.removeFirst(turnCount)
    }

    func paceFrames() {
        guard flushedBytes >= CatchUpPace.pausedTurnBytesMin, let log else { return }
        largeFramePace.noteTurn(
            from: now,
            to: EventLoop.currentSeconds(),
            bytes: flushedBytes,
            version: log.newestVersion
        )
    }

    /// Removes a reader from the followers of its topic (``TopicReaders/followerCount``) until the
    /// reader has taken a large frame.
    func stopFollowing(_ slot: Int32) {
        let number = Int(slots[Int(slot)].topicNumber)
        guard topics[number].id.mode != .patch, topics[number].id.subject != .actions,
            behindReaders[slot]?.largeFrame == nil
        else { return }
        let known = knownVersion(of: slot) ?? 0
        behindReaders[slot]?.largeFrame = LargeFrame(
            version: max(topics[number].newestVersion ?? 0, known),
            framesForAllCountAtStart: topics[number].framesForAllCount
        )
        topics[number].followerCount -= 1
        swapInTopic(slot, withIndex: topics[number].followerCount)
    }

    /// Adds a reader that has taken a large frame to the followers of its topic again. Sends the
    /// reader the newest version if the reader has missed that version.
    func follow(_ slot: Int32, after frame: LargeFrame, needsNewest: Bool) {
        let number = Int(slots[Int(slot)].topicNumber)
        swapInTopic(slot, withIndex: topics[number].followerCount)
        topics[number].followerCount += 1
        let missed = topics[number].framesForAllCount - frame.framesForAllCountAtStart
        guard needsNewest || missed > 0, let newest = topics[number].topic.newestChunk,
            topics[number].topic.version > frame.version
        else { return }
        if missed > 1 { writer.counters.framesConflated.add(missed - 1, ordering: .relaxed) }
        deliver(newest, to: slot, having: frame.version)
    }

    /// Swaps a reader with the reader at another index in the list of their topic.
    func swapInTopic(_ slot: Int32, withIndex place: Int) {
        let topic = Int(slots[Int(slot)].topicNumber)
        let mine = Int(slots[Int(slot)].indexInTopic)
        guard mine != place else { return }
        let other = topics[topic].slots[place]
        topics[topic].slots.swapAt(mine, place)
        slots[Int(other)].indexInTopic = Int32(mine)
        slots[Int(slot)].indexInTopic = Int32(place)
    }
}

/// A large frame on its way to a reader.
struct LargeFrame {
    /// The version that the reader has after it has taken the whole frame.
    let version: UInt64
    /// The topic's count of frames for all readers (``TopicReaders/framesForAllCount``) when this
    /// frame was begun.
    let framesForAllCountAtStart: UInt64
}
