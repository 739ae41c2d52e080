import CHTTPD
import EventStream
import Glibc
import Synchronization
import Wire

/// The writer's thread: its epoll, the readers, and what each is still to be sent.
final class StreamLoop {
    /// How many events one turn takes from epoll.
    static let eventsMax = 512
    /// The most that a reader may send us; what it says is of no interest.
    static let inputBytesMax = 64 << 10
    /// How long unacknowledged data keeps a connection whose peer is silent.
    static let deadPeerMilliseconds: CInt = 40_000

    /// One place for a reader.
    struct Slot {
        var descriptor: CInt = -1
        /// Told apart from earlier readers of the same place.
        var generation: UInt32 = 0
        var topic: Int32 = 0
        /// Its place in the topic's list of readers.
        var place: Int32 = 0
        var inputBytes: UInt32 = 0
        /// When the stream's time is over, in whole seconds of the loop; 0 for never.
        var expires: UInt32 = 0
        /// When it joined, in whole seconds of the clock.
        var joined: UInt32 = 0
        /// The first version that it lacks.
        var lacks: UInt64 = 0
    }

    /// A topic with its readers.
    struct Readers {
        let id: TopicID
        var topic = Topic()
        var slots: [Int32] = []
    }

    /// What one reader is behind with, and when it last took something.
    struct Behind {
        var backlog: Backlog
        var progressed: Double
        /// The version that it had when it fell behind, if any.
        var version: UInt64?
        var closes = false
    }

    let writer: StreamWriter
    /// Where the log comes from, where there is one.
    let log: (any LogSource)?
    private let epoll: CInt
    private let wakeDescriptor: CInt
    private(set) var slots: [Slot] = []
    private var freeSlots: [Int32] = []
    private(set) var topics: [Readers] = []
    private var topicNumbers: [TopicID: Int32] = [:]
    private var freeTopics: [Int32] = []
    /// The names of those readers that have one.
    private var names: [Int32: String] = [:]
    private(set) var behind: [Int32: Behind] = [:]
    var logReaders = LogReaders()
    var logPace = LogPace()
    private var endings: [Int32: @Sendable () -> Void] = [:]
    private(set) var now = 0.0
    private var nextSecond = 0.0
    private var seconds: UInt32 = 1
    private var stopDeadline: Double?
    /// How many readers had not taken everything when the writer stopped.
    private(set) var cutOff = 0

    /// Hands the loop to its thread.
    struct Handle: @unchecked Sendable {
        // Safety: made by one thread and then used by the loop's own alone.
        let value: StreamLoop
    }

    init(writer: StreamWriter, epoll: CInt, wakeDescriptor: CInt) {
        self.writer = writer
        log = writer.log
        self.epoll = epoll
        self.wakeDescriptor = wakeDescriptor
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = .max
        epoll_ctl(epoll, EPOLL_CTL_ADD, wakeDescriptor, &event)
    }

    deinit {
        close(epoll)
    }

    func run() {
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Self.eventsMax)
        defer { events.deallocate() }
        now = EventLoop.clock()
        nextSecond = now + 1
        while !isDone {
            let count = Int(epoll_wait(epoll, events, CInt(Self.eventsMax), waitMilliseconds))
            now = EventLoop.clock()
            for index in 0..<max(0, count) {
                let data = events[index].data.u64
                if data == .max {
                    var value: UInt64 = 0
                    read(wakeDescriptor, &value, 8)
                } else {
                    handle(data, events[index].events)
                }
            }
            takeMail()
            advanceLog()
            if now >= nextSecond { everySecond() }
        }
        end()
    }

    private var waitMilliseconds: CInt {
        if slots.count == freeSlots.count, stopDeadline == nil { return 60_000 }
        let seconds = min(nextSecond - now, logTurnSeconds ?? .infinity)
        return CInt(max(0, (seconds * 1_000).rounded(.up)))
    }

    private func takeMail() {
        let mail = writer.take()
        for event in mail.inbox.events {
            switch event {
            case .publish(let topic, let version, let frame, let audience):
                publish(number(of: topic), version, frame, audience)
            case .join(let reader):
                join(reader)
            }
        }
        for question in mail.questions { answer(question) }
        if mail.logMoved { logReaders.sourceMoved() }
        if let stop = mail.stop {
            stopDeadline = now + stop.seconds
            let bye = writer.frames.bye(stop.reason)
            for slot in slots.indices where slots[slot].descriptor >= 0 {
                closeSlot(Int32(slot), saying: bye)
            }
        }
    }

    private func number(of topic: TopicID) -> Int32 {
        if let known = topicNumbers[topic] { return known }
        let number = freeTopics.popLast() ?? Int32(topics.count)
        topicNumbers[topic] = number
        if topics.indices.contains(Int(number)) {
            topics[Int(number)] = Readers(id: topic)
        } else {
            topics.append(Readers(id: topic))
        }
        return number
    }

    /// Forgets a topic that nobody reads any more, and its frame: clients choose the names of some.
    private func forgetUnread(_ number: Int32) {
        let topic = topics[Int(number)].id
        // Whoever is about to read has reserved a place, and may have had the newest sent already.
        guard topics[Int(number)].slots.isEmpty, topic != .state, topic != .actions,
            topicNumbers[topic] == number, !writer.isRead(topic)
        else { return }
        topicNumbers[topic] = nil
        topics[Int(number)] = Readers(id: topic)
        freeTopics.append(number)
    }
}

extension StreamLoop {
    private func join(_ reader: JoiningReader) {
        let topic = number(of: reader.topic)
        let slot = freeSlots.popLast() ?? Int32(slots.count)
        if Int(slot) == slots.count { slots.append(Slot()) }
        let index = Int(slot)
        slots[index].descriptor = reader.descriptor
        slots[index].generation &+= 1
        slots[index].topic = topic
        slots[index].inputBytes = 0
        slots[index].expires = expiry()
        slots[index].joined = UInt32(clamping: Int(now))
        slots[index].place = Int32(topics[Int(topic)].slots.count)
        topics[Int(topic)].slots.append(slot)
        if let ended = reader.ended { endings[slot] = ended }
        if let name = reader.name { names[slot] = name }
        writer.counters.adopted.add(1, ordering: .relaxed)
        tune(reader.descriptor)
        watch(slot, EPOLL_CTL_ADD, forWriting: false)
        let known: UInt64? = if case .after(let version) = reader.resume { version } else { nil }
        slots[index].lacks = known.map { $0 &+ 1 } ?? 0
        deliver(reader.opening, to: slot, having: known)
        for frame in topics[Int(topic)].topic.opening(for: reader.resume) {
            deliver(frame, to: slot, having: known)
        }
        if reader.topic == .actions, slots[index].descriptor >= 0 {
            Self.keepRoom(in: reader.descriptor)
            logReaders.add(LogReader(reader.resume), at: slot)
        }
        if stopDeadline != nil { closeSlot(slot, saying: writer.frames.bye(.shutdown)) }
    }

    /// The second in which a stream's time is over, spread by a tenth so that not all end at once.
    private func expiry() -> UInt32 {
        let lifetime = writer.limits.lifetimeSeconds
        guard lifetime > 0 else { return 0 }
        return seconds + UInt32(clamping: lifetime) + UInt32.random(in: 0...UInt32(lifetime / 10))
    }

    /// Frames go out at once, and peers that vanish without a word are noticed.
    private func tune(_ descriptor: CInt) {
        var yes: CInt = 1
        var milliseconds = Self.deadPeerMilliseconds
        let size = socklen_t(MemoryLayout<CInt>.size)
        let tcp = CInt(IPPROTO_TCP)
        setsockopt(descriptor, tcp, TCP_NODELAY, &yes, size)
        setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, size)
        setsockopt(descriptor, tcp, TCP_USER_TIMEOUT, &milliseconds, size)
    }

    func watch(_ slot: Int32, _ operation: CInt, forWriting: Bool) {
        let index = Int(slot)
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
        if forWriting { event.events |= EPOLLOUT.rawValue }
        event.data.u64 = UInt64(slots[index].generation) << 32 | UInt64(UInt32(bitPattern: slot))
        epoll_ctl(epoll, operation, slots[index].descriptor, &event)
    }

    private func publish(
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
    private func broadcast(_ frame: Bytes, to readers: [Int32], having version: UInt64?) {
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
    private func fell(_ slot: Int32, _ frame: Bytes, _ sent: Int, having version: UInt64?) {
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

    private func handle(_ data: UInt64, _ happened: UInt32) {
        let slot = Int32(truncatingIfNeeded: data & 0xFFFF_FFFF)
        let index = Int(slot)
        guard index < slots.count, slots[index].descriptor >= 0,
            slots[index].generation == UInt32(truncatingIfNeeded: data >> 32)
        else { return }
        let gone = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
        if happened & gone != 0 || (happened & EPOLLIN.rawValue != 0 && !discardInput(index)) {
            writer.counters.closedByPeer.add(1, ordering: .relaxed)
            release(slot)
            return
        }
        guard happened & EPOLLOUT.rawValue != 0 else { return }
        if logReaders[slot] == nil { flush(slot) } else { logWritable(slot) }
    }

    /// Takes off what a reader sends. Answers `false` where it has ended or talks too much.
    private func discardInput(_ index: Int) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { scratch in
            let count = recv(
                slots[index].descriptor,
                scratch.baseAddress,
                scratch.count,
                CInt(MSG_DONTWAIT)
            )
            guard count != 0 else { return false }
            slots[index].inputBytes += UInt32(max(0, count))
            return slots[index].inputBytes <= Self.inputBytesMax
        }
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
        let closes = behind.removeValue(forKey: slot)?.closes ?? false
        if closes { release(slot) } else { watch(slot, EPOLL_CTL_MOD, forWriting: false) }
    }
}

extension StreamLoop {
    /// Heartbeats for a part of the readers, so that they don't all fall on one moment; then those
    /// who take nothing and those whose time is over.
    private func everySecond() {
        nextSecond = max(nextSecond + 1, now)
        seconds &+= 1
        let period = UInt32(clamping: max(1, writer.limits.heartbeatSeconds))
        for number in topics.indices where stopDeadline == nil && !topics[number].slots.isEmpty {
            // A part of the state may not have changed for long; the store has gone on.
            let isWhole = topics[number].id == .state
            let published = topics[number].topic.version
            let version = isWhole ? published : log?.version ?? published
            let heartbeat = writer.frames.heartbeat(version)
            let due = topics[number].slots.filter {
                UInt32(bitPattern: $0) % period == seconds % period && behind[$0] == nil
                    && logReaders[$0]?.takesWords != false
            }
            broadcast(heartbeat, to: due, having: topics[number].topic.newestVersion)
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
            now - $0.value.progressed >= Double(writer.limits.stallSeconds)
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
            deliver(bye, to: slot, having: topics[topic].topic.newestVersion)
        } else {
            behind[slot]?.backlog.close(with: bye)
        }
        if behind[slot] == nil { release(slot) } else { behind[slot]?.closes = true }
    }

    /// Lets a reader go.
    func release(_ slot: Int32) {
        let index = Int(slot)
        guard slots[index].descriptor >= 0 else { return }
        behind[slot] = nil
        logReaders[slot] = nil
        if !names.isEmpty { names[slot] = nil }
        // The descriptor may have duplicates: the end must reach the peer all the same.
        shutdown(slots[index].descriptor, CInt(SHUT_RDWR))
        close(slots[index].descriptor)
        slots[index].descriptor = -1
        let topic = Int(slots[index].topic)
        let place = Int(slots[index].place)
        let last = topics[topic].slots.count - 1
        topics[topic].slots.swapAt(place, last)
        slots[Int(topics[topic].slots[place])].place = Int32(place)
        topics[topic].slots.removeLast()
        freeSlots.append(slot)
        writer.abandon(topics[topic].id)
        forgetUnread(Int32(topic))
        endings.removeValue(forKey: slot)?()
    }

    private var isDone: Bool {
        guard let stopDeadline else { return false }
        return now >= stopDeadline || slots.count == freeSlots.count
    }

    private func end() {
        cutOff = slots.count - freeSlots.count
        for slot in slots.indices { release(Int32(slot)) }
    }
}
