import Glibc

/// A thread of the system's own, for work that blocks and must not hold up other threads.
package enum SystemThread {
    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Lets other threads that are ready have this core first; returns at once where there are
    /// none.
    package static func giveWay() {
        sched_yield()
    }

    /// The calling thread's nice value. Threads that it starts take it over.
    package static var niceness: CInt {
        // On Linux this is the calling thread's own (getpriority(2), "C library/kernel
        // differences").
        getpriority(CInt(PRIO_PROCESS.rawValue), 0)
    }

    /// Starts a detached thread. Of its name, at most 15 bytes show in `top -H` and debuggers.
    ///
    /// It inherits the caller's nice value, or has `niceness` where that is higher, which needs no
    /// privilege. It blocks all signals but those of faults and profilers.
    package static func start(
        name: String,
        niceness: CInt? = nil,
        _ body: @escaping @Sendable () -> Void
    ) {
        let code = create(name, niceness, body)
        precondition(
            code == 0,
            "The system refuses a thread for \(name): \(SystemError.text(of: code))."
        )
    }

    /// The same where the work can wait for another thread; returns whether the system gave one.
    package static func startUnlessRefused(
        name: String,
        niceness: CInt?,
        _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        create(name, niceness, body) == 0
    }

    /// Returns 0, or the error code of the system where it refuses the thread.
    private static func create(
        _ name: String,
        _ niceness: CInt?,
        _ body: @escaping @Sendable () -> Void
    ) -> CInt {
        var thread = pthread_t()
        // Safety: the box is retained here and released exactly once: by the thread, or below
        // where there is none.
        let start = Unmanaged.passRetained(
            Start {
                blockSignals()
                setName(name)
                if let niceness { raiseNiceness(to: niceness) }
                body()
            }
        )
        let code = pthread_create(
            &thread,
            nil,
            { box in
                if let box { Unmanaged<Start>.fromOpaque(box).takeRetainedValue().body() }
                return nil
            },
            start.toOpaque()
        )
        if code == 0 { pthread_detach(thread) } else { start.release() }
        return code
    }

    /// Leaves the process's signals to the threads of the program, and its handlers there. SIGPIPE
    /// and SIGXFSZ go to the thread that writes: where it blocks them the call fails, and the
    /// process goes on.
    ///
    /// Not blocked are signals that a fault raises, and that of profilers.
    private static func blockSignals() {
        var set = sigset_t()
        sigfillset(&set)
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF] {
            sigdelset(&set, signal)
        }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Names the calling thread. The name is for people, so a system that refuses it is no error.
    private static func setName(_ name: String) {
        let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, name, min(name.utf8.count, 15))
        close(descriptor)
    }

    /// Raises the calling thread's nice value; one that is higher already stays as it is.
    private static func raiseNiceness(to niceness: CInt) {
        guard Self.niceness < niceness else { return }
        _ = setpriority(CInt(PRIO_PROCESS.rawValue), 0, niceness)
    }
}
