import CHTTPD
import EventStream
import Glibc
import Synchronization
import Wire

// Readers of the log are not broadcast to: each is given what comes next as its socket takes it, one
// piece at a time and by turns, so that one that has much to catch up holds up nobody.

extension StreamLoop {
    /// The most bytes of the log that one turn sends; whoever is left has its turn next.
    static let logTurnBytesMax = 2 << 20
    /// How much of the log a socket takes that has yet to be sent.
    static let logUnsentBytesMax: CInt = 128 << 10

    /// Looks at everyone whose turn it is, once, unless the log pauses.
    func advanceLog() {
        guard let log, logReaders.hasReady, logPace.pauseSeconds(at: now) == 0 else { return }
        let began = EventLoop.clock()
        let bytes = takeLogTurn()
        logPace.turned(from: began, to: EventLoop.clock(), bytes: bytes, version: log.version)
    }

    /// In how many seconds somebody has a turn; `nil` where it is nobody's.
    var logTurnSeconds: Double? {
        logReaders.hasReady ? logPace.pauseSeconds(at: now) : nil
    }

    /// Answers how many bytes it sent.
    private func takeLogTurn() -> Int {
        let ready = logReaders.takeReady()
        var bytes = 0
        for (place, slot) in ready.enumerated() {
            guard bytes < Self.logTurnBytesMax else {
                logReaders.putBack(ready[place...])
                break
            }
            guard case .ready? = logReaders[slot]?.phase else { continue }
            bytes += advance(slot)
        }
        return bytes
    }

    /// Gives a reader its next piece. Answers how many bytes it took.
    private func advance(_ slot: Int32) -> Int {
        guard let log, let reader = logReaders[slot] else { return 0 }
        guard behind[slot] == nil else {
            // What it is behind with is told by `flush`.
            logReaders[slot]?.phase = .socket(since: now)
            logReaders[slot]?.isWatched = true
            return 0
        }
        if let last = reader.last, reader.takesWords {
            if reader.mustEnd {
                _ = send(last, to: slot)
                release(slot)
            } else {
                finish(slot, saying: last)
            }
            return 0
        }
        switch log.next(after: reader.cursor.version) {
        case .piece(let piece):
            let cursor = reader.cursor
            let isLast = reader.last != nil
            guard let range = isLast ? cursor.restOfFrame(in: piece) : cursor.rest(of: piece)
            else {
                giveUp(slot)
                return 0
            }
            return send(piece, range, to: slot)
        case .caughtUp(let version):
            unwatch(slot)
            logReaders.awaitSource(slot)
            if !reader.isCaughtUp {
                logReaders[slot]?.isCaughtUp = true
                say(log.caughtUp(at: version), to: slot)
            }
        case .pending:
            unwatch(slot)
            logReaders.awaitSource(slot)
        case .gone(let reason, let version):
            guard reader.takesWords else {
                // The rest of a frame that is begun is gone: only a new stream can go on.
                giveUp(slot)
                return 0
            }
            logReaders[slot]?.cursor = LogCursor(after: version)
            if !reader.isBeginning { say(reason, to: slot) }
            if case .ready? = logReaders[slot]?.phase { logReaders.keepReady(slot) }
        case .unreadable:
            giveUp(slot)
        }
        return 0
    }

    private func send(_ piece: LogPiece, _ range: Range<Int>, to slot: Int32) -> Int {
        let sent = piece.bytes.withUnsafeBytes { bytes in
            Glibc.send(
                slots[Int(slot)].descriptor,
                bytes.baseAddress?.advanced(by: range.lowerBound),
                range.count,
                CInt(MSG_NOSIGNAL | MSG_DONTWAIT)
            )
        }
        guard sent >= 0 else {
            if errno == EAGAIN || errno == EINTR || errno == ENOBUFS {
                awaitSocket(slot)
            } else {
                writer.counters.closedByPeer.add(1, ordering: .relaxed)
                release(slot)
            }
            return 0
        }
        let end = range.lowerBound + sent
        let whole = logReaders[slot]?.cursor.sent(upTo: end, of: piece) ?? 0
        logReaders[slot]?.isBeginning = false
        writer.counters.frames.add(UInt64(whole), ordering: .relaxed)
        if sent < range.count { awaitSocket(slot) } else { logReaders.keepReady(slot) }
        return sent
    }

    /// Sends a few words between two records.
    private func say(_ words: Bytes, to slot: Int32) {
        deliver(words, to: slot, having: logReaders[slot]?.knownVersion)
        if behind[slot] != nil {
            logReaders[slot]?.isWatched = true
            logReaders[slot]?.phase = .socket(since: now)
        }
    }

    private func awaitSocket(_ slot: Int32) {
        logReaders[slot]?.phase = .socket(since: now)
        guard logReaders[slot]?.isWatched == false else { return }
        watch(slot, EPOLL_CTL_MOD, forWriting: true)
        logReaders[slot]?.isWatched = true
    }

    private func unwatch(_ slot: Int32) {
        guard logReaders[slot]?.isWatched == true else { return }
        watch(slot, EPOLL_CTL_MOD, forWriting: false)
        logReaders[slot]?.isWatched = false
    }

    /// A reader's socket takes more.
    func logWritable(_ slot: Int32) {
        if behind[slot] != nil {
            flush(slot)
            logReaders[slot]?.isWatched = behind[slot] != nil
            guard behind[slot] == nil else { return }
        }
        unwatch(slot)
        logReaders.makeReady(slot)
    }

    /// Ends a reader's stream with these words, as soon as they would not tear a frame.
    func closeLog(_ slot: Int32, saying bye: Bytes) {
        guard logReaders[slot]?.takesWords == false else { return finish(slot, saying: bye) }
        if logReaders[slot]?.last == nil { logReaders[slot]?.last = bye }
    }

    /// Closes the connection in the middle of the stream: its reader comes back and is told why.
    private func giveUp(_ slot: Int32) {
        writer.counters.closedByServer.add(1, ordering: .relaxed)
        release(slot)
    }

    /// Begins to close those whose socket takes nothing, and lets go of those that had their chance.
    func closeStalledLogReaders(saying bye: Bytes) {
        let seconds = Double(writer.limits.stallSeconds)
        for slot in logReaders.slow(stalledFor: seconds, at: now) where behind[slot] == nil {
            guard logReaders[slot]?.mustEnd == false else {
                release(slot)
                continue
            }
            writer.counters.closedSlow.add(1, ordering: .relaxed)
            Self.makeRoom(in: slots[Int(slot)].descriptor)
            logReaders[slot]?.mustEnd = true
            logReaders[slot]?.last = bye
            logReaders.makeReady(slot)
        }
    }

    /// Keeps a part of the socket's buffer free, so that there is room for last words.
    static func keepRoom(in descriptor: CInt) {
        set(descriptor, CInt(IPPROTO_TCP), TCP_NOTSENT_LOWAT, logUnsentBytesMax)
    }

    /// Lets the socket take more than before: the system sends it when the peer does read on.
    private static func makeRoom(in descriptor: CInt) {
        set(descriptor, CInt(IPPROTO_TCP), TCP_NOTSENT_LOWAT, .max)
        set(descriptor, SOL_SOCKET, SO_SNDBUF, 2 * logUnsentBytesMax)
    }

    /// Sets a number. A system or a socket without it has no room for last words, and does without.
    private static func set(_ descriptor: CInt, _ level: CInt, _ name: CInt, _ value: CInt) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
    }
}
