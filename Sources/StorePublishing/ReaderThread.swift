import StorePlatform

/// A thread that works for those who read: where processors are scarce, the event loop and the Core
/// go first.
///
/// A higher nice value needs no privilege. It leaves the thread a tenth of what the others get, so
/// that it goes on however busy they are. What it shares with them it locks for a few instructions
/// only: a thread that waits for it would wait as long as this one waits for a processor.
package enum ReaderThread {
    /// Its nice value. A process that is nicer already stays as it is.
    package static let niceness: CInt = 10

    /// Starts a detached thread; `name`, at most 15 bytes of it, shows in `top -H` and debuggers.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        SystemThread.start(name: name, niceness: niceness, body)
    }
}
