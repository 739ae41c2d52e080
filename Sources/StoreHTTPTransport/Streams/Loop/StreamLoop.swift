import CStoreHTTPD
import Glibc
import StorePlatform
import StoreWire
import Synchronization

/// The loop of a stream writer, with its epoll, its readers and their backlogs.
final class StreamLoop: @unchecked Sendable {
    // Safety: one thread makes the loop. From then on, only the thread that runs the loop uses it.

    static let eventsMax = 512
    /// The maximum number of bytes that a reader may send. All bytes from a reader are dropped.
    static let inputBytesMax = 64 << 10
    /// The time after which the system gives up a connection whose peer does not acknowledge data.
    static let deadPeerMilliseconds: CInt = 40_000
    /// The longest wait of a turn if there are no readers, and the loop has a thread of its own.
    static let idleWaitMillisecondsMax: CInt = 60_000

    /// The seconds after which a turn begins no further item of work, if other loops share the
    /// thread (``SharedStreamLoops``).
    static let sharedTurnSecondsMax = 0.002

    let writer: StreamWriter
    let log: (any LogSource)?
    let epoll: CInt
    private let wakeDescriptor: CInt
    var slots: [StreamSlot] = []
    var freeSlots: [Int32] = []
    var topics: [TopicReaders] = []
    var topicNumbers: [TopicID: Int32] = [:]
    var freeTopicNumbers: [Int32] = []
    var subscriberNamesBySlot: [Int32: String] = [:]
    var sessionsBySlot: [Int32: String] = [:]
    var credentialsBySlot: [Int32: HeldCredential] = [:]
    /// The readers whose sockets did not take every byte.
    var behindReaders: [Int32: BehindReader] = [:]
    /// The older versions from which patches can start.
    var recentStates = RecentStates()
    var logReaders = LogReaders()
    var logPace = CatchUpPace()
    /// The pace of large frames for readers that are behind.
    var largeFramePace = CatchUpPace()
    /// The pace of published frames.
    private var publishPace = ReaderPace()
    private var pausedSeconds = 0.0
    /// True if other loops share the thread. In that case, this loop does not pause within a turn,
    /// but rests between two turns (``restSeconds``).
    var sharesThread = false
    /// The mail that a turn has not finished, and the number of the mail's events that are done.
    private var unfinishedMail: (mail: StreamMail, handledEventCount: Int)?
    /// The number of bytes that this turn has sent from backlogs.
    var flushedBytes = 0
    /// Readers of large frames whose sockets take more bytes, in the order of their turns.
    var turnQueue: [Int32] = []
    var endClosuresBySlot: [Int32: @Sendable () -> Void] = [:]
    var now = 0.0
    var nextSecond = 0.0
    var elapsedSeconds: UInt32 = 1
    var stopDeadline: Double?

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

    deinit { close(epoll) }

    func run() {
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Self.eventsMax)
        defer { events.deallocate() }
        begin()
        while !isDone {
            runTurn(events, waitingFor: waitMilliseconds)
            if now >= nextSecond { runEverySecond() }
        }
        end()
    }

    func begin() {
        now = EventLoop.currentSeconds()
        nextSecond = now + 1
    }

    /// Runs one turn: waits at most `milliseconds` for events, and then does the work that is due.
    func runTurn(_ events: UnsafeMutablePointer<epoll_event>, waitingFor milliseconds: CInt) {
        let count = Int(epoll_wait(epoll, events, CInt(Self.eventsMax), milliseconds))
        now = EventLoop.currentSeconds()
        flushedBytes = 0
        pausedSeconds = 0
        publishPace.beginWork(at: now)
        for index in 0..<max(0, count) {
            // Epoll reports the remaining events again in the next turn.
            if index > 0, isTurnOver { break }
            let data = events[index].data.u64
            if data == .max {
                var value: UInt64 = 0
                read(wakeDescriptor, &value, 8)
            } else {
                handleReadiness(ofReader: data, events: events[index].events)
            }
        }
        takeTurns()
        paceFrames()
        takeMail()
        advanceLog()
        let ended = EventLoop.currentSeconds()
        if let log { publishPace.noteVersion(log.newestVersion, at: ended) }
        let nanoseconds = UInt64(max(0, ended - now - pausedSeconds) * 1e9)
        writer.counters.workNanoseconds.add(nanoseconds, ordering: .relaxed)
    }

    /// True if the turn ends before its next item, because other loops wait for the thread. Each
    /// turn does at least one item of each kind of work.
    var isTurnOver: Bool {
        sharesThread && EventLoop.currentSeconds() - now >= Self.sharedTurnSecondsMax
    }

    /// Pauses between two readers of a frame if a pause is due.
    func pauseIfDue() {
        guard publishPace.isBusy, stopDeadline == nil, !sharesThread else { return }
        let began = EventLoop.currentSeconds()
        guard publishPace.isPauseDue(at: began), let pause = publishPace.pauseSeconds(at: began)
        else { return }
        usleep(useconds_t(pause * 1e6))
        let ended = EventLoop.currentSeconds()
        pausedSeconds += ended - began
        publishPace.beginWork(at: ended)
    }

    /// The seconds for which this loop leaves the thread to other loops; 0 if the loop needs no
    /// rest.
    ///
    /// A loop on a shared thread rests in place of ``pauseIfDue()``, which would hold up the other
    /// loops.
    var restSeconds: Double {
        guard publishPace.isBusy, stopDeadline == nil else { return 0 }
        let ended = EventLoop.currentSeconds()
        return publishPace.isPauseDue(at: ended) ? publishPace.pauseSeconds(at: ended) ?? 0 : 0
    }

    private var waitMilliseconds: CInt {
        guard let seconds = waitSeconds else { return Self.idleWaitMillisecondsMax }
        return CInt(max(0, (seconds * 1_000).rounded(.up)))
    }

    /// The seconds from the last turn until the loop has work even without an event; `nil` if the
    /// loop then has no work.
    var waitSeconds: Double? {
        if unfinishedMail != nil { return 0 }
        if slots.count == freeSlots.count, stopDeadline == nil { return nil }
        let pause = turnQueue.isEmpty ? .infinity : largeFramePace.pauseSeconds(at: now)
        return min(nextSecond - now, secondsUntilLogTurn ?? .infinity, pause)
    }

    /// Handles the mail of other threads, and takes new mail when the old mail is done.
    private func takeMail() {
        let (mail, handledEventCount) = unfinishedMail.take() ?? (writer.takeMail(), 0)
        let events = mail.inbox.events
        for index in handledEventCount..<events.count {
            if index > handledEventCount, isTurnOver {
                unfinishedMail = (mail, index)
                return
            }
            act(on: events[index])
        }
        for request in mail.requests { answer(request) }
        if mail.hasMoreLogRecords { logReaders.makeWaitingReady() }
        if let stop = mail.stop {
            stopDeadline = now + stop.seconds
            let bye = byeFrame(stop.reason)
            for slot in slots.indices where slots[slot].descriptor >= 0 {
                closeSlot(Int32(slot), with: bye, because: stop.reason)
            }
        }
    }

    private func act(on event: Inbox.Event) {
        switch event {
        case .publish(let version, let topic, let filter):
            deliverVersion(version, to: addTopicIfAbsent(topic), filter)
        case .join(let reader):
            join(reader)
        case .command(let topic, let frame):
            sendCommand(Chunk.encode(frame), toReadersOf: topic)
        }
    }

    /// True if a stop is requested, and no reader is left or the time for the stop is over.
    var isDone: Bool {
        guard let stopDeadline else { return false }
        return now >= stopDeadline || slots.count == freeSlots.count && unfinishedMail == nil
    }

    /// Releases the remaining readers, which have not taken every byte, and refuses the readers
    /// that have not joined yet.
    func end() {
        if let left = unfinishedMail.take() {
            writer.refuse(left.mail, from: left.handledEventCount)
        }
        let cutOff = slots.count - freeSlots.count
        for slot in slots.indices { release(Int32(slot)) }
        writer.didEnd(cutOff: cutOff)
    }
}
