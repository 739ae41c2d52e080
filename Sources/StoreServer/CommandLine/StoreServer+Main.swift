import StoreCommandLine

extension StoreServer {
    /// Runs the command line, and ends the process. The status is
    ///
    /// - 0 after a clean stop,
    /// - 1 if the server could not start, or a health check or an assertion failed,
    /// - 2 for a bad command line, configuration or script,
    /// - 69 if a dependency could not be prepared,
    /// - 74 if the journal failed,
    /// - 75 if a stop had to leave a reducer or the disk behind.
    ///
    /// Call it on the main thread. A server that runs serves the main queue, so observers and
    /// commands may use that queue. A program that continues besides its server calls
    /// ``start(_:)``.
    public func main() -> Never {
        CommandLineMain(ServerProgram(server: self)).run()
    }
}
