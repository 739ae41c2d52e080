import Glibc

/// Signals that are waited for, instead of interrupting whatever thread they hit.
struct Signals {
    private var set = sigset_t()

    /// Blocks the signals in this thread and in all that it starts from now on.
    ///
    /// A peer that closes its socket must not end the process, so SIGPIPE is ignored too.
    init(_ signals: [CInt]) {
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for the next of them.
    func next() -> CInt {
        var set = set
        var signal: CInt = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }
}
