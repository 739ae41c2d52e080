import EventStream
import Synchronization
import Wire

// What time brings: heartbeats, and the ends of those who take nothing or whose time is over.

extension StreamLoop {
    /// Heartbeats for a part of the readers, so that they don't all fall on one moment; then those
    /// who take nothing and those whose time is over.
    func everySecond() {
        nextSecond = max(nextSecond + 1, now)
        seconds &+= 1
        let period = UInt32(clamping: max(1, writer.limits.heartbeatSeconds))
        for number in topics.indices where stopDeadline == nil && !topics[number].slots.isEmpty {
            let due = topics[number].slots.filter {
                UInt32(bitPattern: $0) % period == seconds % period && behind[$0] == nil
                    && logReaders[$0]?.takesWords != false
            }
            if !due.isEmpty {
                // A part of the state may not have changed for long; the store has gone on.
                let isWhole = topics[number].id.name == TopicID.state.name
                let published = topics[number].newestVersion ?? 0
                let version = isWhole ? published : log?.version ?? published
                let heartbeat = writer.frames.heartbeat(version)
                broadcast(heartbeat, to: due, having: topics[number].newestVersion)
            }
            writer.counters.heartbeats.add(UInt64(due.count), ordering: .relaxed)
            guard writer.limits.lifetimeSeconds > 0 else { continue }
            let bye = writer.frames.bye(.lifetime)
            for slot in topics[number].slots where slots[Int(slot)].expires <= seconds {
                closeSlot(slot, saying: bye)
            }
        }
        // Those that were announced to a client who left before it joined.
        for number in topics.indices { forgetUnread(Int32(number)) }
        let stalled = behind.filter {
            !$0.value.awaitsTurn
                && now - $0.value.progressed >= Double(writer.limits.stallSeconds)
        }
        let bye = stalled.isEmpty && logReaders.isEmpty ? nil : writer.frames.bye(.slow)
        if let bye { closeStalledLogReaders(saying: bye) }
        for slot in stalled.keys {
            writer.counters.closedSlow.add(1, ordering: .relaxed)
            // Last words only between two frames: within one they would end it, torn as it is.
            if let bye, behind[slot]?.backlog.head?.offset == 0 { _ = send(bye, to: slot) }
            release(slot)
        }
    }

    /// Sends a reader its last frame, and ends the stream when that is taken.
    func closeSlot(_ slot: Int32, saying bye: Bytes) {
        guard slots[Int(slot)].descriptor >= 0 else { return }
        if logReaders[slot] == nil {
            finish(slot, saying: bye)
        } else {
            closeLog(slot, saying: bye)
        }
    }

    /// Sends a reader its last frame, behind what it is behind with.
    func finish(_ slot: Int32, saying bye: Bytes) {
        writer.counters.closedByServer.add(1, ordering: .relaxed)
        if behind[slot] == nil {
            let topic = Int(slots[Int(slot)].topic)
            deliver(bye, to: slot, having: topics[topic].newestVersion)
        } else {
            behind[slot]?.backlog.close(with: bye)
        }
        if behind[slot] == nil { release(slot) } else { behind[slot]?.closes = true }
    }
}
