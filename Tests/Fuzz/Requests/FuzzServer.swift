import CStoreHTTPD
import DefaultStore
import Glibc
import StoreAdmission
import StoreCore
import StorePlatform
import StoreTelemetry
import Synchronization

@testable import StoreHTTP
@testable import StoreHTTPTransport
@testable import StorePublishing
@testable import StoreServer

/// The default store behind libmicrohttpd, on the fuzzer's thread. Connections are pairs of
/// sockets, and this object makes the event loop's turns.
final class FuzzServer {
    /// The number of idle turns after which an answer counts as whole.
    private static let idleTurnsMax = 3
    /// The longest wait for an answer of another thread, in turns of a millisecond.
    private static let turnsMax = 10_000
    private static let idleMilliseconds: CInt = 1

    private let parts: StoreAssembly<AppState>
    private let transport: HTTPServer
    private let streams: StreamLoop
    private let streamsWake = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: StreamLoop.eventsMax)
    private var scratch = [UInt8](repeating: 0, count: 64 << 10)
    /// The seconds by which the loop's clock is ahead of the system's. With a large value, timed
    /// waits end at once.
    private var ahead = 0.0

    /// - Parameters:
    ///   - guarded: true if a policy restricts the clients.
    ///   - step: the counter's step.
    init(guarded: Bool, step: Int) {
        do {
            var configuration = ServerConfiguration()
            configuration.http.listen = []
            configuration.history.ephemeral = true
            configuration.streams.countMax = 64
            configuration.http.debugRoutes = !guarded
            configuration.analytics.recentEventsMax = 8
            if guarded {
                configuration.access.policyFile =
                    (variable("FUZZ_FOLDER") ?? "") + "/Requests/policy.json"
            }
            let logger = Logger(LogWriter { _ in })
            transport = try HTTPServer(
                configuration: configuration.transport,
                handler: StartGate(HostRule(listening: [], additional: [])),
                startThread: { _, _ in },
                log: { _ in }
            )
            let server = Server(AppState.self, actions: [ScreenShown.self])
            var world = World(server.dependencies, .test)
            world.logger = logger
            let clock = world.testWorld?.clock ?? ManualClock()
            world.simulatedWorld = SimulatedWorld(
                journal: MemoryJournal(),
                clock: clock.timeOfDay,
                executor: OrderedExecutor(ChangeSignal()),
                onJournalFailure: { fatalError("The journal failed: \($0)") },
                makeFollower: { _ in FuzzFollower() }
            )
            let process = try ServerProcess(configuration, on: transport, logger)
            parts = try StoreAssembly(StoreContext(server, configuration, in: process, world))
        } catch {
            fatalError("\(error)")
        }
        streams = StreamLoop(
            writer: parts.store.streamWriter,
            epoll: epoll_create1(CInt(EPOLL_CLOEXEC)),
            wakeDescriptor: streamsWake
        )
        streams.nextSecond = .infinity
        begin(step)
    }

    private func begin(_ step: Int) {
        let loop = transport.loop
        guard (try? loop.startListening()) != nil else {
            fatalError("libmicrohttpd does not start.")
        }
        loop.handler = parts.router
        loop.hasFirstHandler = false
        loop.ownThreadID.store(UInt(pthread_self()), ordering: .relaxed)
        parts.core.engine.dispatchProgramAction(
            Counter.Action.stepChangeRequested(step: step),
            from: ActionSource(sourceLocation: "Fuzz")
        )
        while parts.core.runTurn() {}
    }

    deinit {
        parts.stateStreams.close()
        let loop = transport.loop
        if let daemon = loop.daemon { loop.stopDaemon(daemon) }
        loop.timers = TimerHeap()
        for slot in streams.slots.indices { streams.release(Int32(slot)) }
        events.deallocate()
        close(streamsWake)
    }

    var version: UInt64 { parts.stateStreams.snapshot.version }

    /// Returns the bytes that the server sends for the bytes of one connection. The client then
    /// leaves.
    func answer(to bytes: [UInt8]) -> [UInt8] {
        let client = connect()
        _ = send(client, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        shutdown(client, CInt(SHUT_WR))
        var answer: [UInt8] = []
        var idleTurns = 0
        while idleTurns < Self.idleTurnsMax {
            turn()
            let count = recv(client, &scratch, scratch.count, CInt(MSG_DONTWAIT))
            if count > 0 {
                answer += scratch[..<count]
                idleTurns = 0
            } else if count == 0 || errno != EAGAIN {
                break
            } else {
                idleTurns = isWoken() ? 0 : idleTurns + 1
            }
        }
        close(client)
        leave()
        return answer
    }

    /// Returns the client's end of a new connection.
    private func connect() -> CInt {
        var pair: [CInt] = [-1, -1]
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &pair) == 0, let daemon = transport.loop.daemon else {
            fatalError("There is no pair of sockets.")
        }
        transport.loop.acceptedAddress = .unix
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isTaken = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                chttpd_add(daemon, pair[0], $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        hold(isTaken != 0, "libmicrohttpd refuses a connection.")
        return pair[1]
    }

    /// Makes a turn of the event loop, of the Core and of the streams.
    private func turn() {
        let loop = transport.loop
        guard let daemon = loop.daemon else { return }
        loop.turnStartNanoseconds = SystemTime.steadyNanoseconds() + UInt64(ahead * 1e9)
        loop.now = Double(loop.turnStartNanoseconds) / 1e9
        loop.date.update()
        loop.carryOutOrders()
        loop.takeTimerMail()
        loop.resumeFinished()
        loop.libraryRunCount += 1
        chttpd_run(daemon)
        loop.runTimers()
        loop.handler.workAfterTurn()
        loop.recordAnsweredRequests()
        while parts.core.runTurn() {}
        streams.runTurn(events, waitingFor: 0)
    }

    /// Waits a short time for work that another thread has for the loop.
    private func isWoken() -> Bool {
        let loop = transport.loop
        var woken = pollfd(fd: loop.wakeDescriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&woken, 1, Self.idleMilliseconds) == 1 else { return false }
        var value: UInt64 = 0
        return read(loop.wakeDescriptor, &value, 8) == 8
    }

    /// Lets the server notice that the client has left, and ends all timed waits.
    private func leave() {
        let loop = transport.loop
        var turns = 0
        while !loop.loopConnections.isEmpty || parts.store.streamWriter.openStreamCount > 0 {
            turns += 1
            hold(turns < Self.turnsMax, "A connection or a stream is left.")
            turn()
            loop.enforceDeadlines()
            if turns > 2 {
                ahead += 60
                _ = isWoken()
            }
        }
    }
}

/// A follower that does nothing after a commit.
private final class FuzzFollower: CommitFollower {}
