import Glibc

/// A thread of the system's own, for work that blocks and must not block anyone else.
package enum SystemThread {
    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Lets other threads that are ready have this core first; returns at once where there are none.
    package static func giveWay() {
        sched_yield()
    }

    /// Starts a detached thread; `name`, at most 15 bytes of it, shows in `top -H` and debuggers.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        // Safety: the box is retained here and released by the thread, exactly once.
        let box = Unmanaged.passRetained(
            Start {
                setName(name)
                body()
            }
        ).toOpaque()
        let code = pthread_create(
            &thread,
            nil,
            { box in
                if let box { Unmanaged<Start>.fromOpaque(box).takeRetainedValue().body() }
                return nil
            },
            box
        )
        precondition(code == 0, "The system refuses a thread for \(name): error \(code).")
        pthread_detach(thread)
    }

    /// Names the calling thread. Only people look at it, so a system that refuses is no error.
    private static func setName(_ name: String) {
        let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, name, min(name.utf8.count, 15))
        close(descriptor)
    }
}
