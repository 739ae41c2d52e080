import StoreActionCatalog
package import StoreCommandLine
import StoreHTTP
import StoreTelemetry
import StoreTexts

/// The program that serves a store: the commands of its command line.
struct StoreProgram<State: Codable & Equatable & Sendable>: CommandLineProgram {
    let server: Server<State>

    var name: String { server.name }
    var version: String { server.version }
    var library: String { "StoreServer \(StoreServerVersion.current)" }

    func check(
        _ configuration: ServerConfiguration,
        given: Set<String>,
        keepsNothing: Bool
    ) throws {
        if !keepsNothing { try server.checkJournals(configuration, given: given) }
        try configuration.check()
        _ = try server.policyFile(configuration)
    }

    func checkFiles(_ configuration: ServerConfiguration) throws {
        try configuration.checkCredentialFiles()
        _ = try configuration.collectorHeaders()
    }

    func run(_ command: HistoryCommand, _ configuration: ServerConfiguration) throws -> String {
        guard let name = command.store else { return try server.run(command, configuration) }
        guard let other = server.others.first(where: { $0.name.isSame(as: name) }) else {
            throw server.unknownStore(name)
        }
        return try other.server.run(command, configuration.forStore(Links(store: name)))
    }

    func run(_ command: TokenCommand, _ configuration: ServerConfiguration) throws -> String {
        try TokenCommandRunner(command: command, configuration: configuration).text()
    }

    func run(_ command: PolicyCommand, _ configuration: ServerConfiguration) throws -> PolicyAnswer
    {
        try PolicyCommandRunner(command: command, server: server, configuration: configuration)
            .answer()
    }

    func makeLogger(_ configuration: ServerConfiguration) -> Logger {
        server.makeLogger(configuration)
    }

    func begin(
        _ configuration: ServerConfiguration,
        _ logger: Logger,
        journalFailed: @escaping @Sendable (any Error) -> Void
    ) throws -> ServerStart {
        try ServerStart(server, configuration, logger, journalFailed: journalFailed)
    }

    func startForScript(
        _ configuration: ServerConfiguration,
        as principals: [String]
    ) throws -> ScriptServer {
        var own = configuration
        var keys: ScriptKeys?
        if own.access.policyFile != nil {
            let made = try ScriptKeys(for: principals)
            own.access.keysFile = made.path
            own.readerRole = made.readerRole
            keys = made
        } else if let principal = principals.first {
            throw UsageError("a step acts as '\(principal)', which needs a server with --policy")
        }
        own.http.listen = ["127.0.0.1:0"]
        own.http.adminListen = []
        own.history.ephemeral = true
        own.analytics.destination = .off
        let memory = server.with { memory in
            memory.programJournal = nil
            memory.others = server.others.map { ($0.name, $0.server.forgetting) }
        }
        do {
            let running = try memory.start(own)
            return ScriptServer(
                url: running.addresses.joined(),
                credentials: keys?.credentials ?? ScriptCredentials()
            ) { [keys] in
                running.stop()
                keys?.remove()
            }
        } catch {
            keys?.remove()
            throw error
        }
    }
}

extension ConfigurationError: ExitStatusProviding {
    package var exitStatus: ExitStatus { .usage }
}

extension PreparationFailure: ExitStatusProviding {
    package var exitStatus: ExitStatus { .unavailable }
}

extension Server {
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
    public func main() -> Never { CommandLineMain(StoreProgram(server: self)).run() }
}
