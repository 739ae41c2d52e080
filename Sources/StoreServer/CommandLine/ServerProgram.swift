package import ServerCommandLine
import Telemetry

/// A server as its command line needs it.
struct ServerProgram<State: Codable & Equatable & Sendable>: CommandLineProgram {
    let server: StoreServer<State>

    var name: String { server.name }
    var version: String { server.version }

    func check(
        _ configuration: ServerConfiguration,
        given: Set<String>,
        keepsNothing: Bool
    ) throws {
        if server.givenJournal != nil, !keepsNothing {
            try GivenJournal.check(configuration, given: given)
        }
        try configuration.check()
    }

    func run(_ command: HistoryCommand, _ configuration: ServerConfiguration) throws -> String {
        try server.run(command, configuration)
    }

    func makeLogger() -> Logger { server.makeLogger() }

    func begin(
        _ configuration: ServerConfiguration,
        _ logger: Logger,
        journalFailed: @escaping @Sendable (any Error) -> Void
    ) throws -> Start {
        let start = try server.begin(
            configuration,
            logger,
            server.journalFailureDecision.map { .later($0) } ?? .atOnce(journalFailed)
        )
        return Start(start: start, server: server)
    }

    func startForScript(
        _ configuration: ServerConfiguration
    ) throws -> (url: String, stop: @Sendable () -> Void) {
        var own = configuration
        own.listen = ["127.0.0.1:0"]
        own.ephemeral = true
        own.analytics = .off
        var memory = server
        memory.givenJournal = nil
        let running = try memory.start(own)
        return (running.addresses.joined(), { running.stop() })
    }

    /// A server that listens.
    struct Start: CommandLineServer {
        let start: ServerStart
        let server: StoreServer<State>

        func finish() throws -> [String] { try server.finish(start).addresses }

        func stop() -> ServerEnd {
            switch start.stop() {
            case .clean: .clean
            case .clientsCutOff: .clientsCutOff
            case .unfinished(let what): .unfinished(what)
            }
        }

        func reopenFiles() { start.reopenFiles() }

        var isEnded: Bool { start.isEnded }
    }
}

extension ConfigurationError: ExitStatusProviding {
    package var exitStatus: ExitStatus { .usage }
}

extension PreparationFailure: ExitStatusProviding {
    package var exitStatus: ExitStatus { .unavailable }
}
