import CStoreHTTPD
import Glibc
import StorePlatform
import Synchronization

/// One thread for several stream writers (``StreamWriter/start(on:)``), so that a process has as
/// many threads with fifty stores as with two.
///
/// Begins with the first writer, and ends with ``stop()``. Without readers and mail it makes no
/// system call.
package final class StreamThread: Sendable {
    /// What other threads ask of it.
    private struct Requests {
        var joining: [StreamLoop.Handle] = []
        var hasBegun = false
        var isStopping = false
    }

    private let epoll: CInt
    private let wakeDescriptor: CInt
    private let requests = Locked(Requests())
    private let ended = Latch()
    private let startThread: @Sendable (String, @escaping @Sendable () -> Void) -> Void

    /// Makes a thread that begins with its first writer.
    ///
    /// - Parameter startThread: starts a thread of a name.
    /// - Throws: ``TransportError`` where the system has no more descriptors.
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
        // Each write is reported once, so nothing has to be read.
        event.events = EPOLLIN.rawValue | EPOLLET.rawValue
        event.data.u64 = .max
        epoll_ctl(epoll, EPOLL_CTL_ADD, wakeDescriptor, &event)
    }

    deinit {
        close(epoll)
        close(wakeDescriptor)
    }

    /// Has the thread run a loop from now on. Any thread.
    func add(_ loop: StreamLoop.Handle) throws(TransportError) {
        loop.value.sharesThread = true
        // Here, where a refusal can be thrown; the thread asks for events when it has the loop.
        var event = epoll_event()
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, loop.value.epoll, &event) == 0 else {
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

    /// Ends the thread when the loops of all its writers have ended, and waits for that. No writer
    /// can be started on it from now on.
    ///
    /// The writers have been stopped before, or are while this waits.
    package func stop() {
        let hasBegun = requests.withLock { requests in
            requests.isStopping = true
            return requests.hasBegun
        }
        guard hasBegun else { return }
        wake()
        _ = ended.wait()
    }

    private func run() {
        var loops = SharedStreamLoops(epoll: epoll)
        var isStopping = take(into: &loops)
        while !isStopping || !loops.isEmpty {
            if loops.turn() { isStopping = take(into: &loops) }
        }
        ended.open()
    }

    /// Takes the loops that join. Returns whether the thread is to end.
    private func take(into loops: inout SharedStreamLoops) -> Bool {
        let (joining, isStopping) = requests.withLock { requests in
            defer { requests.joining = [] }
            return (requests.joining, requests.isStopping)
        }
        for loop in joining { loops.add(loop.value) }
        return isStopping
    }

    private func wake() {
        var one: UInt64 = 1
        write(wakeDescriptor, &one, 8)
    }
}
