import CStoreHTTPD
import Glibc
import StoreEventStream
import StoreWire
import Synchronization

/// The writer's thread: its epoll, the readers, and the backlogs.
final class StreamLoop {
    /// How many events one turn takes from epoll.
    static let eventsMax = 512
    /// The most bytes that a reader may send; they are dropped.
    static let inputBytesMax = 64 << 10
    /// How long unacknowledged data keeps a connection whose peer is silent.
    static let deadPeerMilliseconds: CInt = 40_000
    /// How long one turn lasts at the most without readers, on a thread of the loop's own.
    static let restingMilliseconds: CInt = 60_000

    /// For how long a turn goes on to the next item, on a thread that other loops share.
    static let sharedTurnSecondsMax = 0.002

    /// What is left of the mail where a turn was over, and how many of its events are done.
    private struct LeftMail {
        let mail: StreamMail
        let done: Int
    }

    let writer: StreamWriter
    /// Where the log comes from, where there is one.
    let log: (any LogSource)?
    let epoll: CInt
    private let wakeDescriptor: CInt
    var slots: [StreamSlot] = []
    var freeSlots: [Int32] = []
    var topics: [TopicReaders] = []
    var topicNumbers: [TopicID: Int32] = [:]
    var freeTopics: [Int32] = []
    /// The names of the readers that have one.
    var names: [Int32: String] = [:]
    /// The sessions of the readers that have one.
    var sessions: [Int32: String] = [:]
    /// The credentials of the readers that have one.
    var credentials: [Int32: HeldCredential] = [:]
    /// The readers whose sockets did not take everything.
    var behind: [Int32: BehindReader] = [:]
    /// The versions that patches can begin with, besides the newest.
    var recent = RecentStates()
    var logReaders = LogReaders()
    var logPace = LogPace()
    /// How fast readers that are behind are sent large frames.
    var framePace = LogPace()
    /// How fast readers are sent what is published.
    private var pace = ReaderPace()
    /// For how long this turn has paused.
    private var pausedSeconds = 0.0
    /// Whether other loops have their turns on the same thread: then the loop rests between two of
    /// its turns (``restSeconds``), and does not pause within one.
    var sharesThread = false
    private var left: LeftMail?
    /// How many bytes of backlogs this turn has sent.
    var flushedBytes = 0
    /// Readers of large frames whose sockets take more, in the order in which they have their turn.
    var awaitingTurn: [Int32] = []
    var endings: [Int32: @Sendable () -> Void] = [:]
    var now = 0.0
    var nextSecond = 0.0
    var seconds: UInt32 = 1
    var stopDeadline: Double?
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
        begin()
        while !isDone {
            turn(events, waitingFor: waitMilliseconds)
            if now >= nextSecond { everySecond() }
        }
        end()
    }

    /// Begins the loop's own time.
    func begin() {
        now = EventLoop.clock()
        nextSecond = now + 1
    }

    /// Does what there is to do, after waiting for it so many milliseconds at the most.
    func turn(_ events: UnsafeMutablePointer<epoll_event>, waitingFor milliseconds: CInt) {
        let count = Int(epoll_wait(epoll, events, CInt(Self.eventsMax), milliseconds))
        now = EventLoop.clock()
        flushedBytes = 0
        pausedSeconds = 0
        pace.begin(at: now)
        for index in 0..<max(0, count) {
            // The others are ready in the next turn, too.
            if index > 0, isTurnOver { break }
            let data = events[index].data.u64
            if data == .max {
                var value: UInt64 = 0
                read(wakeDescriptor, &value, 8)
            } else {
                handle(data, events[index].events)
            }
        }
        takeTurns()
        paceFrames()
        takeMail()
        advanceLog()
        let ended = EventLoop.clock()
        if let log { pace.saw(log.version, at: ended) }
        let nanoseconds = UInt64(max(0, ended - now - pausedSeconds) * 1e9)
        writer.counters.workNanoseconds.add(nanoseconds, ordering: .relaxed)
    }

    /// Whether the turn is to end before its next item, because other loops wait for theirs on the
    /// same thread. Each kind of work goes on by one item in every turn.
    var isTurnOver: Bool {
        sharesThread && EventLoop.clock() - now >= Self.sharedTurnSecondsMax
    }

    /// Pauses where that is due, between one reader and the next of many.
    func pauseIfDue() {
        guard pace.isBusy, stopDeadline == nil, !sharesThread else { return }
        let began = EventLoop.clock()
        guard pace.isDue(at: began), let pause = pace.pauseSeconds(at: began) else { return }
        usleep(useconds_t(pause * 1e6))
        let ended = EventLoop.clock()
        pausedSeconds += ended - began
        pace.begin(at: ended)
    }

    /// For how long others on the same thread have their turns before this loop has its next one;
    /// 0 where it may be at once.
    ///
    /// Takes the place of ``pauseIfDue()``, which would hold up all of them.
    var restSeconds: Double {
        guard pace.isBusy, stopDeadline == nil else { return 0 }
        let ended = EventLoop.clock()
        return pace.isDue(at: ended) ? pace.pauseSeconds(at: ended) ?? 0 : 0
    }

    private var waitMilliseconds: CInt {
        guard let seconds = waitSeconds else { return Self.restingMilliseconds }
        return CInt(max(0, (seconds * 1_000).rounded(.up)))
    }

    /// In how many seconds from the last turn there is work though nothing comes; `nil` without
    /// readers.
    var waitSeconds: Double? {
        if left != nil { return 0 }
        if slots.count == freeSlots.count, stopDeadline == nil { return nil }
        let pause = awaitingTurn.isEmpty ? .infinity : framePace.pauseSeconds(at: now)
        return min(nextSecond - now, logTurnSeconds ?? .infinity, pause)
    }

    /// Does what other threads have left; takes it when what was taken before is done.
    private func takeMail() {
        let (mail, done) = left.map { ($0.mail, $0.done) } ?? (writer.take(), 0)
        left = nil
        let events = mail.inbox.events
        for index in done..<events.count {
            if index > done, isTurnOver {
                left = LeftMail(mail: mail, done: index)
                return
            }
            work(events[index])
        }
        for request in mail.requests { answer(request) }
        if mail.logMoved { logReaders.sourceMoved() }
        if let stop = mail.stop {
            stopDeadline = now + stop.seconds
            let bye = bye(stop.reason)
            for slot in slots.indices where slots[slot].descriptor >= 0 {
                closeSlot(Int32(slot), with: bye, because: stop.reason)
            }
        }
    }

    private func work(_ event: Inbox<JoiningReader>.Event) {
        switch event {
        case .publish(let topic, let version, .frame(let frame), let audience):
            publish(number(of: topic), version, frame, audience)
        case .publish(let topic, let version, .state(let state), let audience):
            publish(number(of: topic), version, state, audience)
        case .join(let reader):
            join(reader)
        case .command(let topic, let frame):
            send(Chunk.of(frame), to: topic)
        }
    }

    /// Whether a stop is asked for, and no reader is left or the time for it is over.
    var isDone: Bool {
        guard let stopDeadline else { return false }
        return now >= stopDeadline || slots.count == freeSlots.count && left == nil
    }

    /// Releases the readers that are left, and turns away those that have not joined yet.
    func end() {
        if let left { writer.refuse(left.mail, from: left.done) }
        left = nil
        cutOff = slots.count - freeSlots.count
        for slot in slots.indices { release(Int32(slot)) }
    }
}
