import Glibc

/// Threads of the operating system, for work that blocks and must not hold up other threads.
package enum SystemThread {
    private final class BodyBox: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Lets other ready threads run first on this core. Returns at once if there are no such
    /// threads.
    package static func yield() { sched_yield() }

    /// The calling thread's nice value. Threads that the calling thread starts inherit the value.
    package static var niceness: CInt {
        // On Linux the value belongs to the calling thread, not to the process (getpriority(2), "C
        // library/kernel differences").
        getpriority(CInt(PRIO_PROCESS.rawValue), 0)
    }

    /// Starts a detached thread. At most 15 bytes of its name show in `top -H` and debuggers.
    ///
    /// The thread inherits the caller's nice value, or gets `niceness` if that is higher. No
    /// privilege is needed for a higher nice value. The thread blocks all signals except the
    /// signals of faults and profilers. If the system refuses the thread, the process stops.
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

    /// Starts a thread as ``start(name:niceness:_:)`` does. Returns false if the system refuses the
    /// thread.
    package static func startUnlessRefused(
        name: String,
        niceness: CInt?,
        _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        create(name, niceness, body) == 0
    }

    /// Creates a detached thread. Returns 0, or the system's error code.
    private static func create(
        _ name: String,
        _ niceness: CInt?,
        _ body: @escaping @Sendable () -> Void
    ) -> CInt {
        var thread = pthread_t()
        // Safety: the box is retained here and released exactly once: by the thread, or below if no
        // thread was made.
        let start = Unmanaged.passRetained(
            BodyBox {
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
                if let box { Unmanaged<BodyBox>.fromOpaque(box).takeRetainedValue().body() }
                return nil
            },
            start.toOpaque()
        )
        if code == 0 { pthread_detach(thread) } else { start.release() }
        return code
    }

    /// Blocks signals on the calling thread, so that only other threads of the program handle them.
    ///
    /// SIGPIPE and SIGXFSZ go to the thread that writes. If the thread blocks both signals, its
    /// write fails with an error, and the process continues. The signals of faults and profilers
    /// stay unblocked.
    private static func blockSignals() {
        var set = sigset_t()
        sigfillset(&set)
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF] {
            sigdelset(&set, signal)
        }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Names the calling thread, for debugging only: a refusal of the system is ignored.
    private static func setName(_ name: String) {
        let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, name, min(name.utf8.count, 15))
        close(descriptor)
    }

    /// Raises the calling thread's nice value to `niceness`, unless the value is as high already.
    private static func raiseNiceness(to niceness: CInt) {
        guard Self.niceness < niceness else { return }
        _ = setpriority(CInt(PRIO_PROCESS.rawValue), 0, niceness)
    }
}
