import StorePlatform

/// A thread that works for readers. If processors are scarce, the event loop and the Core run
/// first.
///
/// A higher nice value needs no privilege. The thread still gets a tenth of the time that other
/// threads get, so it makes progress on a busy machine. Hold shared locks for a few instructions
/// only, because this thread may be preempted meanwhile.
package enum ReaderThread {
    /// The nice value of the thread. A process with a higher nice value keeps its own.
    package static let niceness: CInt = 10

    /// Starts a detached thread. The first 15 bytes of `name` appear in `top -H` and debuggers.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        SystemThread.start(name: name, niceness: niceness, body)
    }
}
