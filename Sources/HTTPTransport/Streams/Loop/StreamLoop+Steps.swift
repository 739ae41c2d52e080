import EventStream
import Synchronization

// Readers in patch mode are each brought from the version that they have to the newest. Nothing is
// queued for one that is behind: when it takes more, it gets one step over all that it missed.

extension StreamLoop {
    func publish(
        _ topic: Int32,
        _ version: UInt64,
        _ state: any TopicState,
        _ audience: StreamAudience?
    ) {
        let number = Int(topic)
        let before = topics[number].steps.newest
        guard topics[number].steps.publish(state, version: version) else { return }
        if let before {
            let cost = before.state.bytesKept(beside: state)
            recent.keep(before.state, of: topic, at: before.version, bytes: cost)
        }
        // The list may shrink on the way.
        let readers = topics[number].slots
        for slot in readers where audience?(names[slot]) != false { bring(slot) }
    }

    /// Sends a reader in patch mode what it lacks, now or when it has taken what it is behind with.
    func bring(_ slot: Int32) {
        let index = Int(slot)
        let number = slots[index].topic
        guard slots[index].descriptor >= 0,
            let version = topics[Int(number)].steps.newest?.version
        else { return }
        let known = knownVersion(of: slot)
        if let known, known >= version {
            // From another time: what it is about has not changed since this version.
            slots[index].lacks = version &+ 1
            return
        }
        guard behind.isEmpty || behind[slot] == nil else {
            if behind[slot]?.isDue == true {
                writer.counters.conflated.add(1, ordering: .relaxed)
            }
            behind[slot]?.isDue = true
            return
        }
        let frame = topics[Int(number)].steps.frame(from: known) {
            recent.state(of: number, at: $0)
        }
        guard let frame else { return }
        slots[index].lacks = version &+ 1
        breathe()
        deliver(frame, to: slot, having: known)
    }

    /// The version that a reader in patch mode has, or has been begun to be sent.
    func knownVersion(of slot: Int32) -> UInt64? {
        let lacks = slots[Int(slot)].lacks
        return lacks == 0 ? nil : lacks - 1
    }
}
