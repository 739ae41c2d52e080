import CStoreHTTPD
import StoreEventStream
import StoreWire
import Synchronization

// Large frames are sent by turns, and while actions are applied with pauses between these:
// dispatching goes first. A reader that is being sent one does not follow its topic: when it has
// taken all, it is sent the newest.

extension StreamLoop {
    /// From how many bytes on a frame is large.
    static let largeBytesMin = 256 << 10
    /// The most bytes that one turn sends to readers of large frames; the others have theirs next.
    static let flushTurnBytesMax = 1 << 20

    /// Whether a reader that is behind is still to be sent much.
    func isLarge(_ slot: Int32) -> Bool {
        guard let (frame, offset) = behind[slot]?.backlog.head else { return false }
        return frame.count - offset >= Self.largeBytesMin
    }

    /// Lets a reader whose socket takes more have its turn.
    func awaitTurn(_ slot: Int32) {
        guard behind[slot]?.awaitsTurn == false else { return }
        watch(slot, EPOLL_CTL_MOD, forWriting: false)
        behind[slot]?.awaitsTurn = true
        awaitingTurn.append(slot)
    }

    /// Sends to those whose turn it is, unless there is a pause.
    func takeTurns() {
        guard !awaitingTurn.isEmpty, framePace.pauseSeconds(at: now) == 0 else { return }
        var done = 0
        while done < awaitingTurn.count, flushedBytes < Self.flushTurnBytesMax,
            done == 0 || !isTurnOver
        {
            let slot = awaitingTurn[done]
            done += 1
            guard behind[slot]?.awaitsTurn == true else { continue }
            behind[slot]?.awaitsTurn = false
            // It did not stall: other readers had their turn.
            behind[slot]?.progressed = now
            flush(slot)
            if behind[slot] != nil { watch(slot, EPOLL_CTL_MOD, forWriting: true) }
        }
        awaitingTurn.removeFirst(done)
    }

    /// Notes what this turn has sent.
    func paceFrames() {
        guard flushedBytes >= LogPace.turnBytesMin, let log else { return }
        framePace.turned(
            from: now,
            to: EventLoop.clock(),
            bytes: flushedBytes,
            version: log.version
        )
    }

    /// Takes a reader off those that are sent each frame, until it has taken a large one.
    func stopFollowing(_ slot: Int32) {
        let number = Int(slots[Int(slot)].topic)
        guard topics[number].id.mode != .patch, topics[number].id.subject != .actions,
            behind[slot]?.largeFrame == nil
        else { return }
        let known = knownVersion(of: slot) ?? 0
        behind[slot]?.largeFrame = LargeFrame(
            version: max(topics[number].newestVersion ?? 0, known),
            framesBefore: topics[number].framesForAll
        )
        topics[number].following -= 1
        swapPlaces(slot, with: topics[number].following)
    }

    /// Lets a reader that has taken a large frame follow its topic again, and sends it the newest
    /// version that it missed.
    func follow(_ slot: Int32, after frame: LargeFrame, needsNewest: Bool) {
        let number = Int(slots[Int(slot)].topic)
        swapPlaces(slot, with: topics[number].following)
        topics[number].following += 1
        let missed = topics[number].framesForAll - frame.framesBefore
        guard needsNewest || missed > 0, let newest = topics[number].topic.newest,
            topics[number].topic.version > frame.version
        else { return }
        if missed > 1 { writer.counters.conflated.add(missed - 1, ordering: .relaxed) }
        deliver(newest, to: slot, having: frame.version)
    }

    /// Lets two readers of a topic take each other's place in its list.
    func swapPlaces(_ slot: Int32, with place: Int) {
        let topic = Int(slots[Int(slot)].topic)
        let mine = Int(slots[Int(slot)].place)
        guard mine != place else { return }
        let other = topics[topic].slots[place]
        topics[topic].slots.swapAt(mine, place)
        slots[Int(other)].place = Int32(mine)
        slots[Int(slot)].place = Int32(place)
    }
}
