import CStoreHTTPD
import Glibc
import StoreJSON
import StorePlatform
import StoreWire
import Synchronization

// The log is not broadcast. When a reader's socket takes more bytes, the reader gets the next piece
// of the log in its turn. So a reader that is far behind does not delay the other readers.

extension StreamLoop {
    /// The most bytes of the log that one turn of the loop sends. The remaining readers are first
    /// in the next turn.
    static let logTurnBytesMax = 2 << 20
    /// The most bytes of the log that wait unsent in the buffer of a socket.
    static let logUnsentBytesMax: CInt = 128 << 10

    /// Sends each ready reader its next records once, unless the log pauses.
    func advanceLog() {
        guard let log, logReaders.hasReady, logPace.pauseSeconds(at: now) == 0 else { return }
        let began = EventLoop.currentSeconds()
        let bytes = takeLogTurn()
        logPace.noteTurn(
            from: began,
            to: EventLoop.currentSeconds(),
            bytes: bytes,
            version: log.newestVersion
        )
    }

    /// The time in seconds until the next reader has its turn; `nil` if no reader is ready.
    var secondsUntilLogTurn: Double? { logReaders.hasReady ? logPace.pauseSeconds(at: now) : nil }

    private func takeLogTurn() -> Int {
        let ready = logReaders.takeReady()
        var bytes = 0
        for (place, slot) in ready.enumerated() {
            guard bytes < Self.logTurnBytesMax, place == 0 || !isTurnOver else {
                logReaders.putFirst(ready[place...])
                break
            }
            guard case .ready? = logReaders[slot]?.phase else { continue }
            bytes += advanceLogReader(slot)
        }
        return bytes
    }

    /// Sends a reader the next bytes of the log, or a frame other than a record, such as `bye`.
    /// Returns the number of bytes of the log that were sent.
    private func advanceLogReader(_ slot: Int32) -> Int {
        guard let log, let reader = logReaders[slot] else { return 0 }
        guard behindReaders[slot] == nil else {
            // `handleLogWritable` sends the backlog, and then makes the reader ready again.
            logReaders[slot]?.phase = .awaitsSocket(since: now)
            logReaders[slot]?.isSocketWatched = true
            return 0
        }
        if let bye = reader.byeFrame, reader.isBetweenChunks {
            if reader.isClosing {
                _ = send(bye, to: slot)
                release(slot)
            } else {
                finish(slot, with: bye)
            }
            return 0
        }
        if let tail = reader.position.unsentTail { return send([tail], of: nil, to: slot) }
        switch log.next(after: reader.version, for: reader.viewer) {
        case .piece(let piece):
            if logReaders[slot]?.position.skipHiddenRest(of: piece) == true {
                logReaders.putLast(slot)
                return 0
            }
            guard
                let next = reader.position.nextSegments(of: piece, isEnding: reader.byeFrame != nil)
            else {
                closeUnannounced(slot)
                return 0
            }
            return send(next, of: piece, to: slot)
        case .caughtUp(let version):
            unwatch(slot)
            logReaders.awaitSource(slot)
            if !reader.isCaughtUp {
                logReaders[slot]?.isCaughtUp = true
                sendBetweenChunks(log.caughtUpFrame(at: version), to: slot)
            }
        case .pending:
            unwatch(slot)
            logReaders.awaitSource(slot)
        case .gone(let resync, let version):
            guard reader.isBetweenChunks else {
                // The rest of the chunk that is sent in part no longer exists, so only a new stream
                // can go on.
                closeUnannounced(slot)
                return 0
            }
            logReaders[slot]?.position = LogPosition(after: version)
            if !reader.isBeginning { sendBetweenChunks(resync, to: slot) }
            if case .ready? = logReaders[slot]?.phase { logReaders.putLast(slot) }
        case .unreadable:
            closeUnannounced(slot)
        }
        return 0
    }

    private func send(_ segments: [LogSegment], of piece: LogPiece?, to slot: Int32) -> Int {
        let sent = write(segments, of: piece, to: slots[Int(slot)].descriptor)
        guard sent >= 0 else {
            if Self.isErrorTemporary { awaitSocket(slot) } else { release(slot) }
            return 0
        }
        let whole = logReaders[slot]?.position.noteSent(sent, of: segments, of: piece) ?? 0
        logReaders[slot]?.isBeginning = false
        writer.counters.frames.increment(by: UInt64(whole))
        writer.counters.bytes.increment(by: UInt64(sent))
        if sent < segments.unsentBytes { awaitSocket(slot) } else { logReaders.putLast(slot) }
        return sent
    }

    /// Writes as much as the socket takes, by one system call. Returns the number of bytes, or -1
    /// with `errno`.
    private func write(_ segments: [LogSegment], of piece: LogPiece?, to descriptor: CInt) -> Int {
        let write = { (bytes: UnsafeRawBufferPointer) in
            segments.withVectors(of: bytes) { vectors in
                var message = msghdr()
                message.msg_iov = vectors.baseAddress
                message.msg_iovlen = vectors.count
                return sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
        }
        guard let piece else { return write(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return piece.bytes.withUnsafeBytes(write)
    }

    /// Sends a reader a frame other than a record.
    private func sendBetweenChunks(_ frame: Bytes, to slot: Int32) {
        deliver(Chunk.encode(frame), to: slot, having: logReaders[slot]?.knownVersion)
        if behindReaders[slot] != nil {
            logReaders[slot]?.isSocketWatched = true
            logReaders[slot]?.phase = .awaitsSocket(since: now)
        }
    }

    private func awaitSocket(_ slot: Int32) {
        logReaders[slot]?.phase = .awaitsSocket(since: now)
        guard logReaders[slot]?.isSocketWatched == false else { return }
        watch(slot, EPOLL_CTL_MOD, forWriting: true)
        logReaders[slot]?.isSocketWatched = true
    }

    private func unwatch(_ slot: Int32) {
        guard logReaders[slot]?.isSocketWatched == true else { return }
        watch(slot, EPOLL_CTL_MOD, forWriting: false)
        logReaders[slot]?.isSocketWatched = false
    }

    func handleLogWritable(_ slot: Int32) {
        if behindReaders[slot] != nil {
            flush(slot)
            logReaders[slot]?.isSocketWatched = behindReaders[slot] != nil
            guard behindReaders[slot] == nil else { return }
        }
        unwatch(slot)
        logReaders.makeReady(slot)
    }

    /// Closes the connection without a last frame. The client then connects again, and the new
    /// stream begins with a `resync`.
    private func closeUnannounced(_ slot: Int32) {
        slots[Int(slot)].end(because: .interrupted)
        release(slot)
    }

    /// Begins to close the streams of readers whose sockets take nothing. Releases the readers
    /// whose streams an earlier call began to close.
    func closeStalledLogReaders(with bye: Bytes) {
        let seconds = Double(writer.limits.stallSeconds)
        for slot in logReaders.stalledSlots(for: seconds, at: now) where behindReaders[slot] == nil
        {
            guard logReaders[slot]?.isClosing == false else {
                release(slot)
                continue
            }
            slots[Int(slot)].end(because: .slow)
            Self.makeRoom(in: slots[Int(slot)].descriptor)
            logReaders[slot]?.isClosing = true
            logReaders[slot]?.byeFrame = bye
            logReaders.makeReady(slot)
        }
    }

    /// Keeps a part of the socket's buffer free, so that there is room for the last frame. If the
    /// system or the socket does not support this option, the stream may end without a last frame.
    static func keepRoom(in descriptor: CInt) {
        SocketOption.setUnsentBytesMax(of: descriptor, to: logUnsentBytesMax)
    }

    /// Lets the socket take more bytes than ``keepRoom(in:)`` allows, so that the last frame fits.
    private static func makeRoom(in descriptor: CInt) {
        SocketOption.setUnsentBytesMax(of: descriptor, to: .max)
        SocketOption.set(SO_SNDBUF, of: descriptor, to: 2 * logUnsentBytesMax)
    }
}
