import StoreEventStream
import Synchronization

// Each reader in patch mode is sent a patch from the version that it has to the newest. Nothing is
// queued for one that is behind: when it takes more, it gets one patch over all versions that it
// missed.

extension StreamLoop {
    func publish(
        _ topic: Int32,
        _ version: UInt64,
        _ state: any TopicState,
        _ audience: StreamAudience?
    ) {
        let number = Int(topic)
        let before = topics[number].patches.newest
        guard topics[number].patches.publish(state, version: version) else { return }
        if let before {
            let cost = before.state.bytesKept(beside: state)
            recent.keep(before.state, of: topic, at: before.version, bytes: cost)
        }
        // The list may shrink on the way.
        let readers = topics[number].slots
        for slot in readers where audience?(names[slot]) != false { update(slot) }
    }

    /// Sends a reader in patch mode the newest version, now or behind its backlog.
    func update(_ slot: Int32) {
        let index = Int(slot)
        let number = slots[index].topic
        guard slots[index].descriptor >= 0,
            let version = topics[Int(number)].patches.newest?.version
        else { return }
        let known = knownVersion(of: slot)
        if let known, known >= version {
            // It has that from an earlier stream, and the subject has not changed since this
            // version.
            slots[index].nextVersion = version &+ 1
            return
        }
        guard behind.isEmpty || behind[slot] == nil else {
            if behind[slot]?.needsNewest == true {
                writer.counters.conflated.add(1, ordering: .relaxed)
            }
            behind[slot]?.needsNewest = true
            return
        }
        let frame = topics[Int(number)].patches.frame(from: known) {
            recent.state(of: number, at: $0)
        }
        guard let frame else { return }
        slots[index].nextVersion = version &+ 1
        pauseIfDue()
        deliver(frame, to: slot, having: known)
    }

    /// The version that a reader in patch mode has, or is being sent.
    func knownVersion(of slot: Int32) -> UInt64? {
        let next = slots[Int(slot)].nextVersion
        return next == 0 ? nil : next - 1
    }
}
