import CStoreHTTPD
import Glibc
import StoreJSON
import StorePlatform
import StoreWire
import Synchronization

// Many readers share a frame. Only a reader whose socket does not take the whole frame has memory
// of its own.

extension StreamLoop {
    /// Sends a version of a topic to the readers of the topic that pass the filter.
    func deliverVersion(_ version: TopicVersion, to topic: Int32, _ filter: ReaderFilter? = nil) {
        switch version.content {
        case .frame(let frame): deliverFrame(topic, version.number, frame, filter)
        case .state(let state): deliverState(topic, version.number, state, filter)
        }
    }

    private func deliverFrame(
        _ topic: Int32,
        _ version: UInt64,
        _ frame: Bytes,
        _ filter: ReaderFilter?
    ) {
        let number = Int(topic)
        let previousVersion = topics[number].topic.newestVersion
        guard topics[number].topic.setNewest(frame, version: version),
            let chunk = topics[number].topic.newestChunk
        else { return }
        if filter == nil { topics[number].framesForAllCount &+= 1 }
        let isForAll = filter == nil || topics[number].followerCount == topics[number].slots.count
        var readers =
            isForAll
            ? topics[number].followers : selectFollowers(among: topics[number].slots, filter)
        // Some readers may have the topic's first version already, from an earlier stream.
        if previousVersion == nil {
            readers = readers.filter { slots[Int($0)].nextVersion <= version }
        }
        if let filter { readers = readers.filter { filter(subscriberNamesBySlot[$0]) } }
        broadcast(chunk, to: readers, having: previousVersion)
    }

    /// Returns the readers that get a frame immediately. The other readers get the newest version
    /// later if the frame is for them.
    private func selectFollowers(among readers: [Int32], _ filter: ReaderFilter?) -> [Int32] {
        readers.filter { slot in
            guard behindReaders[slot]?.largeFrame != nil else { return true }
            if filter?(subscriberNamesBySlot[slot]) != false {
                behindReaders[slot]?.needsNewest = true
            }
            return false
        }
    }

    /// Sends one frame to many readers. Until a reader has the whole frame, the reader's version is
    /// `version`. The caller passes a copy of the list, because the list may shrink meanwhile.
    func broadcast(_ frame: Bytes, to readers: [Int32], having version: UInt64?) {
        var completedCount: UInt64 = 0
        for slot in readers {
            if !behindReaders.isEmpty, behindReaders[slot] != nil {
                deliver(frame, to: slot, having: version)
                continue
            }
            pauseIfDue()
            let sent = send(frame, to: slot)
            if sent == frame.count {
                completedCount += 1
            } else {
                keepRest(of: frame, sent, for: slot, having: version)
            }
        }
        writer.counters.frames.increment(by: completedCount)
        writer.counters.bytes.increment(by: completedCount &* UInt64(frame.count))
    }

    /// Sends a frame to one reader, or adds it to the reader's backlog.
    func deliver(_ frame: Bytes, to slot: Int32, having version: UInt64?) {
        guard slots[Int(slot)].descriptor >= 0 else { return }
        if behindReaders[slot] != nil {
            let skipped = behindReaders[slot]?.backlog.add(frame) ?? 0
            if skipped > 0 {
                writer.counters.framesConflated.add(UInt64(skipped), ordering: .relaxed)
            }
            return
        }
        // Many readers may join at the same time, so a large frame is sent in turns from its first
        // byte on.
        guard frame.count < Self.largeBytesMin else {
            Self.keepRoom(in: slots[Int(slot)].descriptor)
            return beginBacklog(Backlog(frame, sent: 0), for: slot, having: version)
        }
        let sent = send(frame, to: slot)
        if sent == frame.count {
            writer.counters.frames.increment()
            writer.counters.bytes.increment(by: UInt64(frame.count))
        } else {
            keepRest(of: frame, sent, for: slot, having: version)
        }
    }

    /// Writes as much of a frame as the socket takes, without waiting. Returns the number of bytes
    /// written, or -1 with `errno`.
    @inline(__always)
    func send(_ frame: Bytes, from offset: Int = 0, to slot: Int32) -> Int {
        if frame.isInPieces { return sendPieces(of: frame, from: offset, to: slot) }
        return frame.withUnsafeBytes { bytes in
            Glibc.send(
                slots[Int(slot)].descriptor,
                bytes.baseAddress?.advanced(by: offset),
                bytes.count - offset,
                CInt(MSG_NOSIGNAL | MSG_DONTWAIT)
            )
        }
    }

    /// The most pieces that one system call sends.
    private static let piecesMax = 64

    /// Writes a frame that is made of pieces, without copying the pieces. Returns the same as
    /// ``send(_:from:to:)``.
    private func sendPieces(of frame: Bytes, from offset: Int, to slot: Int32) -> Int {
        var sent = 0
        while offset + sent < frame.count {
            let (pieces, skipped) = frame.pieces(from: offset + sent, max: Self.piecesMax)
            let wanted = pieces.reduce(-skipped) { $0 + $1.count }
            let count = send(pieces, skipping: skipped, to: slot)
            // If an earlier write has sent bytes, their number is returned. The next call finds the
            // error again.
            guard count >= 0 else { return sent > 0 ? sent : -1 }
            sent += count
            if count < wanted { break }
        }
        return sent
    }

    private func send(_ pieces: ArraySlice<Bytes>, skipping: Int, to slot: Int32) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: pieces.count) { vectors in
            for (index, piece) in pieces.enumerated() {
                // Safety: `pieces` retains each piece until the call is over.
                vectors[index] = iovec(piece, from: index == 0 ? skipping : 0)
            }
            var message = msghdr()
            message.msg_iov = vectors.baseAddress
            message.msg_iovlen = vectors.count
            return withExtendedLifetime(pieces) {
                sendmsg(slots[Int(slot)].descriptor, &message, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
        }
    }

    /// True if a write failed because a socket takes no bytes now, but its connection is intact.
    static var isErrorTemporary: Bool { errno == EAGAIN || errno == EINTR || errno == ENOBUFS }

    /// Keeps the rest of a frame that the socket did not take whole. If the connection has failed,
    /// releases the reader.
    private func keepRest(of frame: Bytes, _ sent: Int, for slot: Int32, having version: UInt64?) {
        guard sent >= 0 || Self.isErrorTemporary else { return release(slot) }
        writer.counters.bytes.increment(by: UInt64(max(0, sent)))
        beginBacklog(Backlog(frame, sent: max(0, sent)), for: slot, having: version)
    }

    private func beginBacklog(_ backlog: Backlog, for slot: Int32, having version: UInt64?) {
        behindReaders[slot] = BehindReader(
            backlog: backlog,
            progressedAt: now,
            versionBeforeBacklog: version
        )
        if hasLargeBacklog(slot) { stopFollowing(slot) }
        watch(slot, EPOLL_CTL_MOD, forWriting: true)
    }

    /// Sends as much of a reader's backlog as its socket takes.
    func flush(_ slot: Int32) {
        while var state = behindReaders[slot], let (frame, offset) = state.backlog.head {
            let sent = send(frame, from: offset, to: slot)
            guard sent >= 0 else {
                if !Self.isErrorTemporary { release(slot) }
                return
            }
            if sent == frame.count - offset { writer.counters.frames.increment() }
            writer.counters.bytes.increment(by: UInt64(sent))
            flushedBytes += sent
            state.progressedAt = now
            state.backlog.noteSent(sent)
            behindReaders[slot] = state
        }
        let state = behindReaders.removeValue(forKey: slot)
        guard state?.isClosing != true else { return release(slot) }
        watch(slot, EPOLL_CTL_MOD, forWriting: false)
        if let largeFrame = state?.largeFrame {
            follow(slot, after: largeFrame, needsNewest: state?.needsNewest == true)
        } else if state?.needsNewest == true {
            sendNewest(to: slot)
        }
        for command in state?.commands ?? [] where slots[Int(slot)].descriptor >= 0 {
            sendCommand(command, to: slot)
        }
    }
}

extension iovec {
    /// Points to the bytes of `piece` from `offset` on. `piece` must not be made of further pieces,
    /// and must be retained while the pointer is used.
    init(_ piece: Bytes, from offset: Int = 0) {
        let bytes = piece.withUnsafeBytes { $0 }
        self.init(
            iov_base: bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0 + offset) },
            iov_len: bytes.count - offset
        )
    }
}
