import CStoreHTTPD
import Glibc
import StorePlatform
import Synchronization

/// A thread that several stream writers share (``StreamWriter/start(on:)``). So a process with many
/// stores has only one thread for streams.
///
/// The thread lasts from the start of its first writer to ``stop()``. Without work, the thread
/// makes no system call.
package final class StreamThread: Sendable {
    /// The orders of other threads to this thread: to serve loops, and to stop.
    private struct Requests {
        var joining: [StreamLoop] = []
        var hasBegun = false
        var isStopping = false
    }

    private let epoll: CInt
    private let wakeDescriptor: CInt
    private let requests = Locked(Requests())
    private let endLatch = Latch()
    private let startThread: @Sendable (String, @escaping @Sendable () -> Void) -> Void

    /// Makes a thread that begins with its first writer.
    ///
    /// - Parameter startThread: starts a thread with this name.
    /// - Throws: ``TransportError`` if the system has no more descriptors.
    package init(
        _ startThread: @escaping @Sendable (String, @escaping @Sendable () -> Void) -> Void
    ) throws(TransportError) {
        self.startThread = startThread
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        wakeDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard epoll >= 0, wakeDescriptor >= 0 else {
            throw TransportError("can't make a thread for streams: \(SystemError.text)")
        }
        var event = epoll_event()
        // With EPOLLET, epoll reports each write once, so the thread need not read the descriptor.
        event.events = EPOLLIN.rawValue | EPOLLET.rawValue
        event.data.u64 = .max
        epoll_ctl(epoll, EPOLL_CTL_ADD, wakeDescriptor, &event)
    }

    deinit {
        close(epoll)
        close(wakeDescriptor)
    }

    /// Adds a loop to the thread. Any thread may call this function.
    func add(_ loop: StreamLoop) throws(TransportError) {
        loop.sharesThread = true
        // The descriptor is registered here, so that an error can be thrown. The thread asks epoll
        // for the descriptor's events when the thread takes the loop.
        var event = epoll_event()
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, loop.epoll, &event) == 0 else {
            throw TransportError("can't start a stream writer: \(SystemError.text)")
        }
        let begins = requests.withLock { requests -> Bool? in
            guard !requests.isStopping else { return nil }
            requests.joining.append(loop)
            defer { requests.hasBegun = true }
            return !requests.hasBegun
        }
        guard let begins else {
            throw TransportError("can't start a stream writer: the thread for streams is stopped")
        }
        if begins { startThread("streams") { [self] in run() } } else { wake() }
    }

    /// Ends the thread when the loops of all its writers have ended, and waits for the end. From
    /// the call on, no writer can be started on the thread.
    ///
    /// The caller must stop the writers first, or another thread must stop the writers meanwhile.
    package func stop() {
        let hasBegun = requests.withLock { requests in
            requests.isStopping = true
            return requests.hasBegun
        }
        guard hasBegun else { return }
        wake()
        _ = endLatch.wait()
    }

    private func run() {
        var loops = SharedStreamLoops(epoll: epoll)
        var isStopping = takeRequests(into: &loops)
        while !isStopping || !loops.isEmpty {
            if loops.runRound() { isStopping = takeRequests(into: &loops) }
        }
        endLatch.open()
    }

    /// Takes the loops that were added. Returns `true` if the thread is to end.
    private func takeRequests(into loops: inout SharedStreamLoops) -> Bool {
        let (joining, isStopping) = requests.withLock {
            (exchange(&$0.joining, with: []), $0.isStopping)
        }
        for loop in joining { loops.add(loop) }
        return isStopping
    }

    private func wake() {
        var one: UInt64 = 1
        write(wakeDescriptor, &one, 8)
    }
}
