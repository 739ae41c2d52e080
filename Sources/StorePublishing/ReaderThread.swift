import StorePlatform

/// A thread that works for readers. If processors are scarce, the event loop and the Core run
/// first.
///
/// A higher nice value needs no privilege. The thread still gets a tenth of the time that other
/// threads get, so it makes progress on a busy machine. Hold locks that it shares with other
/// threads for a few instructions only: this thread may be preempted while it has the lock.
package enum ReaderThread {
    /// The nice value of the thread. A process with a higher nice value keeps its own.
    package static let niceness: CInt = 10

    /// Starts a detached thread. The first 15 bytes of `name` appear in `top -H` and debuggers.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        SystemThread.start(name: name, niceness: niceness, body)
    }
}
