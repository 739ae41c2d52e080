import StoreEventStream
import StorePlatform

/// The credential of a reader. Its end is a time of the loop's clock, because the system's clock
/// may be set.
struct HeldCredential {
    let end: Double?
    let isAllowed: @Sendable () -> Bool
    /// True if the reader got the event that announces the end.
    var isAnnounced = false
}

// Streams end with the credentials of their owners.

extension StreamLoop {
    /// Keeps the credential of a reader that joins.
    func hold(_ credential: StreamCredential, of slot: Int32) {
        let left = credential.expires.map {
            Double($0) - Double(SystemTime.wallNanoseconds()) / 1e9
        }
        credentials[slot] = HeldCredential(
            end: left.map { now + $0 },
            isAllowed: credential.isAllowed
        )
    }

    /// Ends the streams whose credentials have ended, and announces ends that are near. The
    /// announcement comes between two frames, so a reader that is behind gets it when it has caught
    /// up.
    func endExpired() {
        guard !credentials.isEmpty, stopDeadline == nil else { return }
        for (slot, credential) in credentials {
            guard let end = credential.end else { continue }
            let left = end - now
            if left <= 0 {
                self.end(slot)
            } else if left <= Double(StreamCredential.announcedSeconds), !credential.isAnnounced,
                behind[slot] == nil, logReaders[slot]?.isBetweenChunks != false
            {
                credentials[slot]?.isAnnounced = true
                let frame = Chunk.of(writer.frames.expiring(Int64(left.rounded(.up))))
                let topic = Int(slots[Int(slot)].topic)
                deliver(frame, to: slot, having: topics[topic].newestVersion)
            }
        }
    }
}
