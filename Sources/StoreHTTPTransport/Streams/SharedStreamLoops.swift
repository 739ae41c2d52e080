import CStoreHTTPD
import Glibc

/// The loops that share a thread. Each loop has an epoll descriptor of its own, which is registered
/// in the thread's epoll (epoll(7)).
///
/// In each round, the thread waits until a loop is ready or due. Then the thread gives one turn to
/// each loop that is ready or due. Later events wait for the next round, so every loop gets its
/// turn.
///
/// A turn delays the other loops. So after 2 ms, a turn begins no further item
/// (``StreamLoop/isTurnOver``), and the other items follow in the next round. An item is a reader
/// that joins, a reader whose socket takes more bytes, or a frame for all readers of a topic. A
/// loop that needs a pause has no turn during the pause (``StreamLoop/restSeconds``), and the other
/// loops go on.
struct SharedStreamLoops: ~Copyable {
    /// The most events that one round takes from the thread's epoll. Further events wait for the
    /// next round.
    static let eventsMax = 64

    private final class Member {
        let loop: StreamLoop
        /// The time of the next turn if no event occurs earlier.
        var due = Double.infinity
        var timer: TimerHeap<Int>.ID?
        /// True if the loop has a turn in this round.
        var hasTurn = false
        /// True if the thread's epoll ignores the loop until it is due.
        var isResting = true

        init(_ loop: StreamLoop) { self.loop = loop }
    }

    private let epoll: CInt
    private let readyEvents: UnsafeMutablePointer<epoll_event>
    /// The memory for events of a loop's own epoll. All loops use this memory, one after the other.
    private let loopEvents: UnsafeMutablePointer<epoll_event>
    private var members: [Member?] = []
    private var freeNumbers: [Int] = []
    private var timers = TimerHeap<Int>()
    private var roundLoopNumbers: [Int] = []

    /// Makes an empty group.
    ///
    /// - Parameter epoll: the thread's epoll. Before a loop is added, its descriptor is registered
    ///   in this epoll without events. Events of the thread's own descriptor have the data
    ///   `UInt64.max`.
    init(epoll: CInt) {
        self.epoll = epoll
        readyEvents = .allocate(capacity: Self.eventsMax)
        loopEvents = .allocate(capacity: StreamLoop.eventsMax)
    }

    deinit {
        readyEvents.deallocate()
        loopEvents.deallocate()
    }

    var isEmpty: Bool { members.count == freeNumbers.count }

    /// Adds a loop. The loop has its first turn when other threads have left mail for the loop.
    mutating func add(_ loop: StreamLoop) {
        loop.begin()
        let member = Member(loop)
        let number = freeNumbers.popLast() ?? members.count
        if number == members.count { members.append(member) } else { members[number] = member }
        setResting(member, number, false)
    }

    /// Waits until a loop is ready or due, and gives one turn to each loop that is ready or due.
    /// Returns `true` if an event came for the thread itself, and not for a loop.
    mutating func runRound() -> Bool {
        let count = Int(epoll_wait(epoll, readyEvents, CInt(Self.eventsMax), waitMilliseconds))
        var isWoken = false
        for index in 0..<max(0, count) {
            if readyEvents[index].data.u64 == .max {
                isWoken = true
            } else {
                addToRound(Int(readyEvents[index].data.u64))
            }
        }
        let now = EventLoop.currentSeconds()
        while let number = timers.popDue(at: now) {
            members[number]?.timer = nil
            addToRound(number)
        }
        for number in roundLoopNumbers { runTurn(of: number) }
        roundLoopNumbers.removeAll(keepingCapacity: true)
        return isWoken
    }

    private mutating func addToRound(_ number: Int) {
        guard let member = members[number], !member.hasTurn else { return }
        member.hasTurn = true
        roundLoopNumbers.append(number)
    }

    private mutating func runTurn(of number: Int) {
        guard let member = members[number] else { return }
        member.hasTurn = false
        let loop = member.loop
        loop.runTurn(loopEvents, waitingFor: 0)
        if loop.now >= loop.nextSecond { loop.runEverySecond() }
        guard !loop.isDone else { return remove(member, number) }
        let seconds = loop.restSeconds
        setResting(member, number, seconds > 0)
        let due =
            seconds > 0
            ? EventLoop.currentSeconds() + seconds : loop.waitSeconds.map { loop.now + $0 }
        schedule(member, number, at: due ?? .infinity)
    }

    private mutating func remove(_ member: Member, _ number: Int) {
        schedule(member, number, at: .infinity)
        epoll_ctl(epoll, EPOLL_CTL_DEL, member.loop.epoll, nil)
        members[number] = nil
        freeNumbers.append(number)
        member.loop.end()
    }

    /// Stops watching a loop until it is due, or watches it again.
    private func setResting(_ member: Member, _ number: Int, _ rests: Bool) {
        guard rests != member.isResting else { return }
        member.isResting = rests
        var event = epoll_event()
        event.events = rests ? 0 : EPOLLIN.rawValue
        event.data.u64 = UInt64(number)
        epoll_ctl(epoll, EPOLL_CTL_MOD, member.loop.epoll, &event)
    }

    private mutating func schedule(_ member: Member, _ number: Int, at due: Double) {
        if due == member.due, member.timer != nil || due == .infinity { return }
        if let timer = member.timer { timers.remove(timer) }
        member.due = due
        member.timer = due == .infinity ? nil : timers.insert(number, due: due)
    }

    /// The milliseconds until the first loop is due. The value is -1, for a wait without a bound,
    /// if no loop has a due time.
    private var waitMilliseconds: CInt {
        guard let due = timers.nextDueTime else { return -1 }
        return CInt(max(0, ((due - EventLoop.currentSeconds()) * 1_000).rounded(.up)))
    }
}
