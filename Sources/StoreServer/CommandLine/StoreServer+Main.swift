import StoreCommandLine

extension StoreServer {
    /// Does what the command line asks for, and ends the process: 0 after a clean stop, 1 where the
    /// server could not start, or a health check or an assertion failed, 2 for a bad command line,
    /// configuration or script, 69 where what it needs could not be prepared, 74 where the journal
    /// failed, 75 where a stop had to leave a reducer or the disk behind.
    ///
    /// Called on the main thread. A server that runs serves the main queue, so observers and
    /// commands may ask for it. A program that goes on besides its server calls ``start(_:)``.
    public func main() -> Never {
        CommandLineMain(ServerProgram(server: self)).run()
    }
}
