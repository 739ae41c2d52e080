import Dispatch
import Glibc

/// Blocked signals, which a queue handles one after the other. The signals interrupt no thread.
package struct Signals {
    private let signals: [CInt]

    /// Blocks the signals in this thread, and in all threads that this thread starts later. The
    /// process also ignores SIGPIPE and SIGXFSZ. These signals would end the process after a write
    /// to a socket that the peer has closed, or to a file at its size limit.
    package init(_ signals: [CInt]) {
        self.signals = signals
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Serves the main queue until the process ends. Calls `handler` for each signal on a separate
    /// queue.
    ///
    /// `dispatchMain` unblocks the signals in the main thread. A signal without a handler would
    /// then end the process. So this function calls `dispatchMain` only after the signal sources
    /// are registered. Until then, signals stay pending.
    package func serveMainQueue(handler: @escaping @Sendable (CInt) -> Void) -> Never {
        let queue = DispatchQueue(label: "signals")
        let registering = DispatchGroup()
        let sources = signals.map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
            source.setEventHandler { handler(signal) }
            registering.enter()
            source.setRegistrationHandler { registering.leave() }
            source.activate()
            return source
        }
        registering.wait()
        withExtendedLifetime(sources) { dispatchMain() }
    }
}
