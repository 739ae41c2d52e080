import Dispatch
import Glibc

/// Signals that are handled one after the other, and do not interrupt any thread.
package struct Signals {
    private let signals: [CInt]

    /// Blocks the signals in this thread and in all threads that it starts from now on. SIGPIPE and
    /// SIGXFSZ are ignored, too. A peer that closes its socket must not end the process, nor must a
    /// file that has grown to the limit.
    package init(_ signals: [CInt]) {
        self.signals = signals
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Serves the main queue for ever, and calls `handler` for each signal on a queue of its own.
    ///
    /// `dispatchMain` leaves the main thread behind with no signal blocked. A signal without a
    /// handler would end the process there, and so would a signal that another thread waits for.
    /// The main thread therefore enters `dispatchMain` only when the queue's signal sources are
    /// registered. Signals stay pending until then.
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
