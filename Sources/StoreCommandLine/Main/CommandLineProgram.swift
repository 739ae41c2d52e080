package import StoreTelemetry

/// What a command line needs of the program that it belongs to.
package protocol CommandLineProgram: Sendable {
    associatedtype Configuration: CommandLineConfiguration
    associatedtype Server: CommandLineServer where Server.Configuration == Configuration

    /// The program's name, in its help and before the lines that end it.
    var name: String { get }
    /// The program's version, as `--version` prints it.
    var version: String { get }
    /// The library that serves, with its version: `StoreServer 0.1.0`.
    var library: String { get }

    /// Refuses a configuration that can't be used, given the names of the options that a flag, a
    /// variable or the file sets. A server of ``startForScript(_:as:)`` keeps nothing.
    ///
    /// - Throws: an error whose description is for the operator.
    func check(
        _ configuration: Configuration,
        given: Set<String>,
        keepsNothing: Bool
    ) throws

    /// Does what a command asks for with the history, and returns the text to print.
    func run(_ command: HistoryCommand, _ configuration: Configuration) throws -> String

    /// Refuses files that the configuration names and that can't be used: for `--check-config`.
    func checkFiles(_ configuration: Configuration) throws

    /// Does what a command asks for with credentials, and returns the text to print.
    func run(_ command: TokenCommand, _ configuration: Configuration) throws -> String

    /// Answers a question about a policy.
    ///
    /// - Throws: an error whose description is for the operator, where the policy can't be used, or
    ///   the question names what no store of the program has.
    func run(_ command: PolicyCommand, _ configuration: Configuration) throws -> PolicyAnswer

    /// Makes what the lines of the server are written with.
    func makeLogger(_ configuration: Configuration) -> Logger

    /// Listens. `journalFailed` is called when the journal has failed, before any request is
    /// answered after that, unless the program decides itself what happens then.
    ///
    /// - Throws: an error whose description is for the operator, where the configuration can't be
    ///   used or an address can't be listened on.
    func begin(
        _ configuration: Configuration,
        _ logger: Logger,
        journalFailed: @escaping @Sendable (any Error) -> Void
    ) throws -> Server

    /// Starts a server that keeps nothing, for a script to be played against, with a credential for
    /// each of the principals, such as `author/u1`.
    func startForScript(
        _ configuration: Configuration,
        as principals: [String]
    ) throws -> ScriptServer
}

/// A server that listens, and is ready or on its way to that.
package protocol CommandLineServer: Sendable {
    associatedtype Configuration

    /// Goes through the phases of the start, and returns the addresses when the server is ready.
    func finish() throws -> [String]

    /// Calls `report` every so many seconds while requests are taken up and the reducers come to
    /// their ends. Called once, when the server is ready.
    func whileItWorks(every seconds: Double, _ report: @escaping @Sendable () -> Void)

    /// Stops the server, or its start.
    func stop() -> ServerEnd

    /// Puts into force what may change while the server runs, from a configuration that was read
    /// anew, and opens the files anew that a log rotation may have moved. Each part as a whole or
    /// not at all, with a line in the log.
    func reload(_ configuration: Configuration)

    /// Whether the server was stopped before it was ready.
    var isEnded: Bool { get }
}

/// How a server's service ended.
package enum ServerEnd: Sendable {
    case clean
    case clientsCutOff
    /// What had not come to its end when the time was over.
    case unfinished(String)
}
