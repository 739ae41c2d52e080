package import StoreTelemetry

/// The program that a command line belongs to.
package protocol CommandLineProgram: Sendable {
    associatedtype Configuration: CommandLineConfiguration
    associatedtype Server: CommandLineServer where Server.Configuration == Configuration

    /// The program's name, in its help and before the lines that end it.
    var name: String { get }
    /// The program's version, as `--version` prints it.
    var version: String { get }
    /// The library that serves, with its version: `StoreServer 0.1.0`.
    var library: String { get }

    /// Refuses a configuration that can't be used.
    ///
    /// - Parameters:
    ///   - configuration: the configuration.
    ///   - given: the names of the options that a flag, a variable or the file sets.
    ///   - keepsNothing: true for a server of ``startForScript(_:as:)``, which keeps no history.
    /// - Throws: an error whose description is for the operator.
    func check(_ configuration: Configuration, given: Set<String>, keepsNothing: Bool) throws

    /// Runs a command about the history, and returns the text to print.
    func run(_ command: HistoryCommand, _ configuration: Configuration) throws -> String

    /// Refuses files that the configuration names and that can't be used: for `--check-config`.
    func checkFiles(_ configuration: Configuration) throws

    /// Runs a command about credentials, and returns the text to print.
    func run(_ command: TokenCommand, _ configuration: Configuration) throws -> String

    /// Answers a question about a policy.
    ///
    /// - Throws: an error for the operator, if the policy can't be used or the question contains a
    ///   name that no store of the program has.
    func run(_ command: PolicyCommand, _ configuration: Configuration) throws -> PolicyAnswer

    /// Makes the logger for the lines of the server.
    func makeLogger(_ configuration: Configuration) -> Logger

    /// Listens. `journalFailed` is called when the journal has failed, before any request is
    /// answered after that. A program with a decision of its own does not call it.
    ///
    /// - Throws: an error whose description is for the operator, if the configuration can't be used
    ///   or the server can't listen on an address.
    func begin(
        _ configuration: Configuration,
        _ logger: Logger,
        journalFailed: @escaping @Sendable (any Error) -> Void
    ) throws -> Server

    /// Starts a server that keeps nothing, for a script. The server accepts a credential for each
    /// of the principals, such as `author/u1`.
    func startForScript(
        _ configuration: Configuration,
        as principals: [String]
    ) throws -> ScriptServer
}

/// A server that listens, and is ready or still starts.
package protocol CommandLineServer: Sendable {
    associatedtype Configuration

    /// Runs the phases of the start, and returns the addresses when the server is ready.
    func becomeReady() throws -> [String]

    /// Calls `report` at this interval in seconds while the server handles requests and its
    /// reducers end. Called once, when the server is ready.
    func whileItWorks(every seconds: Double, _ report: @escaping @Sendable () -> Void)

    /// Stops the server, or its start.
    func stop() -> ServerEnd

    /// Applies the settings that may change while the server runs, and opens files again that a log
    /// rotation may have moved. `configuration` was read anew. Each part is applied as a whole or
    /// not at all, with a line in the log.
    func reload(_ configuration: Configuration)

    /// True if the server was stopped before it was ready.
    var isEnded: Bool { get }
}

/// The outcome of a stop.
package enum ServerEnd: Sendable {
    case clean
    case clientsCutOff
    /// A part of the server was not finished when the time was over; the value is its name.
    case unfinished(String)
}

// The end of the process

/// The exit statuses of a server's process (sysexits.h, if it has a suitable status).
package enum ExitStatus: CInt, Sendable {
    case success = 0
    /// The server could not start, or a command failed.
    case failure = 1
    /// The command line, the configuration or a script can't be used.
    case usage = 2
    /// A dependency of the program could not be prepared: a new start may succeed (EX_UNAVAILABLE).
    case unavailable = 69
    /// An append to the journal had an unknown outcome: a new start continues with the history of
    /// the journal (EX_IOERR).
    case journalFailed = 74
    /// A stop could not finish in time: a new start continues with the history of the journal
    /// (EX_TEMPFAIL).
    case stopUnfinished = 75
}

/// An error that ends a process with a status of its own; all other errors end it with
/// ``ExitStatus/failure``.
package protocol ExitStatusProviding: Error {
    var exitStatus: ExitStatus { get }
}

extension UsageError: ExitStatusProviding {
    package var exitStatus: ExitStatus { .usage }
}

/// A command line, a configuration or a script that can't be used. The message is one line with the
/// mistake and the values that are allowed.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The line, without the program's name.
    package let description: String

    package init(_ description: String) { self.description = description }

    package static func value(_ value: String, of origin: String, allowed: String) -> Self {
        Self("\(origin): '\(value)' is not allowed; allowed is \(allowed)")
    }
}
