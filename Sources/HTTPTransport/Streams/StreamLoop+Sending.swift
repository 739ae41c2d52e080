import CHTTPD
import EventStream
import Glibc
import Synchronization
import Wire

// One frame goes to many; only who does not take it whole has anything of its own.

extension StreamLoop {
    func publish(
        _ topic: Int32,
        _ version: UInt64,
        _ frame: Bytes,
        _ audience: StreamAudience?
    ) {
        let number = Int(topic)
        let before = topics[number].topic.newestVersion
        guard topics[number].topic.publish(frame, version: version) else { return }
        var readers = topics[number].slots
        // The first frame of a topic may come after those who have it already, from another time.
        if before == nil { readers = readers.filter { slots[Int($0)].lacks <= version } }
        if let audience { readers = readers.filter { audience(names[$0]) } }
        broadcast(frame, to: readers, having: before)
    }

    /// Sends one frame to many, who have this version until they have it. The list may shrink on the
    /// way, so it is the caller's copy.
    func broadcast(_ frame: Bytes, to readers: [Int32], having version: UInt64?) {
        var whole: UInt64 = 0
        for slot in readers {
            if !behind.isEmpty, behind[slot] != nil {
                deliver(frame, to: slot, having: version)
                continue
            }
            let sent = send(frame, to: slot)
            if sent == frame.count { whole += 1 } else { fell(slot, frame, sent, having: version) }
        }
        writer.counters.frames.add(whole, ordering: .relaxed)
    }

    /// Sends a frame to one reader, or puts it behind what that one is behind with.
    func deliver(_ frame: Bytes, to slot: Int32, having version: UInt64?) {
        guard slots[Int(slot)].descriptor >= 0 else { return }
        if behind[slot] != nil {
            let skipped = behind[slot]?.backlog.add(frame) ?? 0
            if skipped > 0 { writer.counters.conflated.add(UInt64(skipped), ordering: .relaxed) }
            return
        }
        let sent = send(frame, to: slot)
        if sent == frame.count {
            writer.counters.frames.add(1, ordering: .relaxed)
        } else {
            fell(slot, frame, sent, having: version)
        }
    }

    /// Writes what a socket takes of a frame, without waiting. Answers how much, or -1 with `errno`.
    @inline(__always)
    func send(_ frame: Bytes, from offset: Int = 0, to slot: Int32) -> Int {
        frame.withUnsafeBytes { bytes in
            Glibc.send(
                slots[Int(slot)].descriptor,
                bytes.baseAddress?.advanced(by: offset),
                bytes.count - offset,
                CInt(MSG_NOSIGNAL | MSG_DONTWAIT)
            )
        }
    }

    /// A reader did not take a whole frame: it is behind from here on, or gone.
    func fell(_ slot: Int32, _ frame: Bytes, _ sent: Int, having version: UInt64?) {
        if sent < 0, errno != EAGAIN, errno != EINTR, errno != ENOBUFS {
            writer.counters.closedByPeer.add(1, ordering: .relaxed)
            release(slot)
            return
        }
        behind[slot] = Behind(
            backlog: Backlog(frame, sent: max(0, sent)),
            progressed: now,
            version: version
        )
        watch(slot, EPOLL_CTL_MOD, forWriting: true)
    }

    /// Sends a reader what it is behind with, as far as it takes it.
    func flush(_ slot: Int32) {
        while var state = behind[slot], let (frame, offset) = state.backlog.head {
            let sent = send(frame, from: offset, to: slot)
            if sent < 0 {
                if errno == EAGAIN || errno == EINTR || errno == ENOBUFS { return }
                writer.counters.closedByPeer.add(1, ordering: .relaxed)
                release(slot)
                return
            }
            if sent == frame.count - offset { writer.counters.frames.add(1, ordering: .relaxed) }
            state.progressed = now
            state.backlog.sent(sent)
            behind[slot] = state
        }
        let state = behind.removeValue(forKey: slot)
        guard state?.closes != true else { return release(slot) }
        watch(slot, EPOLL_CTL_MOD, forWriting: false)
        if state?.isDue == true { bring(slot) }
    }
}
