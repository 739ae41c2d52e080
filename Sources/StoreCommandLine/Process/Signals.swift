import Dispatch
import Glibc

/// Signals that are handled one after the other, instead of interrupting whatever thread they hit.
struct Signals {
    private let signals: [CInt]

    /// Blocks the signals in this thread and in all that it starts from now on.
    ///
    /// A peer that closes its socket must not end the process, so SIGPIPE is ignored too; nor must
    /// a file that has grown to the limit (SIGXFSZ).
    init(_ signals: [CInt]) {
        self.signals = signals
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Serves the main queue for good, and calls `handler` for each signal on a queue of its own.
    ///
    /// `dispatchMain` leaves the main thread behind with no signal blocked: one without a handler
    /// would end the process there, and one that another thread waits for as well. So the main
    /// thread is left only when the queues' own sources are in place; until then signals wait.
    func serveMainQueue(handler: @escaping @Sendable (CInt) -> Void) -> Never {
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
