import StoreJSON
import StorePlatform
import StoreWire
import Synchronization

// Each second, the loop sends heartbeats, and ends the streams that are stalled or expired.

extension StreamLoop {
    /// Sends heartbeats to a fraction of the readers, and in the next second to the next fraction.
    /// Then ends the streams that are stalled or expired.
    func runEverySecond() {
        nextSecond = max(nextSecond + 1, now)
        elapsedSeconds &+= 1
        let period = UInt32(clamping: max(1, writer.limits.heartbeatSeconds))
        for number in topics.indices where stopDeadline == nil && !topics[number].slots.isEmpty {
            let dueSlots = topics[number].slots.filter {
                UInt32(bitPattern: $0) % period == elapsedSeconds % period
                    && behindReaders[$0] == nil
                    && logReaders[$0]?.isBetweenChunks != false
            }
            if !dueSlots.isEmpty {
                // A part of the state may be unchanged for a long time. So the heartbeat of a
                // part's topic has the version of the log, which is the store's newest version.
                let isWhole = topics[number].id.subject == .state
                let published = topics[number].newestVersion ?? 0
                let version = isWhole ? published : log?.newestVersion ?? published
                let heartbeat = Chunk.encode(writer.frames.makeHeartbeat(version))
                broadcast(heartbeat, to: dueSlots, having: topics[number].newestVersion)
            }
            writer.counters.heartbeats.increment(by: UInt64(dueSlots.count))
            guard writer.limits.lifetimeSeconds > 0 else { continue }
            let bye = byeFrame(.lifetime)
            for slot in topics[number].slots where slots[Int(slot)].lifetimeEnd <= elapsedSeconds {
                closeSlot(slot, with: bye, because: .lifetime)
            }
        }
        checkCredentialEnds()
        // Some topics may have no reader, because the only client left before it joined the topic.
        for number in topics.indices { removeTopicIfUnread(Int32(number)) }
        let stalled = behindReaders.filter {
            !$0.value.awaitsTurn
                && now - $0.value.progressedAt >= Double(writer.limits.stallSeconds)
        }
        guard !stalled.isEmpty || !logReaders.isEmpty else { return }
        let bye = byeFrame(.slow)
        closeStalledLogReaders(with: bye)
        for slot in stalled.keys { endSlow(slot, with: bye) }
    }

    /// Sends a reader its last frame, and ends the stream when the socket has taken the frame. If a
    /// chunk of the log is sent in part, its rest is sent first.
    func closeSlot(_ slot: Int32, with bye: Bytes, because reason: CloseReason) {
        guard slots[Int(slot)].descriptor >= 0 else { return }
        slots[Int(slot)].end(because: StreamEnding(reason))
        guard logReaders[slot]?.isBetweenChunks == false else { return finish(slot, with: bye) }
        if logReaders[slot]?.byeFrame == nil { logReaders[slot]?.byeFrame = bye }
    }

    /// Returns the last frame of a stream that is closed, with the end of the message.
    func byeFrame(_ reason: CloseReason) -> Bytes {
        Chunk.encodeLast(writer.frames.makeBye(reason))
    }

    /// Sends a reader its last frame, after the frame that is sent in part.
    func finish(_ slot: Int32, with bye: Bytes) {
        if behindReaders[slot] == nil {
            let topic = Int(slots[Int(slot)].topicNumber)
            deliver(bye, to: slot, having: topics[topic].newestVersion)
        } else {
            behindReaders[slot]?.backlog.close(with: bye)
        }
        if behindReaders[slot] == nil {
            release(slot)
        } else {
            behindReaders[slot]?.isClosing = true
        }
    }
}

/// The credential of a reader. The end of the credential is a time of the loop's clock, independent
/// of changes of the system's time.
struct HeldCredential {
    let endsAt: Double?
    let isAllowed: @Sendable () -> Bool
    /// True if the reader got the event that announces the end.
    var isAnnounced = false
}

// The streams of an owner end when the owner's credential ends.

extension StreamLoop {
    func hold(_ credential: StreamCredential, of slot: Int32) {
        let left = credential.expiresAt.map {
            Double($0) - Double(SystemTime.wallNanoseconds()) / 1e9
        }
        credentialsBySlot[slot] = HeldCredential(
            endsAt: left.map { now + $0 },
            isAllowed: credential.isAllowed
        )
    }

    /// Ends the streams whose credentials have ended, and announces ends that are near. The
    /// announcement comes between two frames, so a reader that is behind gets it later.
    func checkCredentialEnds() {
        guard !credentialsBySlot.isEmpty, stopDeadline == nil else { return }
        for (slot, credential) in credentialsBySlot {
            guard let end = credential.endsAt else { continue }
            let left = end - now
            if left <= 0 {
                self.closeAsExpired(slot)
            } else if left <= Double(StreamCredential.noticeSeconds), !credential.isAnnounced,
                behindReaders[slot] == nil, logReaders[slot]?.isBetweenChunks != false
            {
                credentialsBySlot[slot]?.isAnnounced = true
                let frame = Chunk.encode(writer.frames.makeExpiring(Int64(left.rounded(.up))))
                let topic = Int(slots[Int(slot)].topicNumber)
                deliver(frame, to: slot, having: topics[topic].newestVersion)
            }
        }
    }
}
