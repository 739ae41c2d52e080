import Glibc
import StoreActionCatalog
import StoreCommandLine
import StoreHTTP
import StorePlatform
import StoreTelemetry
import StoreTexts

extension Server {
    /// Runs the command line, and ends the process. The exit status is
    ///
    /// - 0 after a clean stop,
    /// - 1 if the server could not start, or a health check or an assertion failed,
    /// - 2 for a bad command line, configuration or script,
    /// - 69 if a dependency could not be prepared,
    /// - 74 if the journal failed,
    /// - 75 if a stop did not wait for a reducer or a disk that hung.
    ///
    /// Call this function on the main thread. While the server runs, this function serves the main
    /// queue, so observers and commands may use that queue. A program that also does other work
    /// calls ``start(_:)``.
    public func main() -> Never { CommandLineMain(server: self).run() }
}

/// Runs the command line of a program, and ends the process with an ``ExitStatus``. No other type
/// in this target ends the process.
///
/// Only the code of the command line handles signals, raises the limit of open files, and ends the
/// process. Only this code uses standard input and output.
struct CommandLineMain<State: Codable & Equatable & Sendable> {
    private typealias Reader = ConfigurationReader<ServerConfiguration>

    let server: Server<State>

    /// Runs the command, on the main thread. If the command runs a server, this function also
    /// serves the main queue.
    func run() -> Never {
        StandardFiles.openMissing()
        CoreDumps.forbid()
        do { try run(try readConfiguration()) } catch { fail(error) }
    }

    /// The configuration without flags, environment and file.
    private var defaults: ServerConfiguration {
        var defaults = ServerConfiguration.defaults
        defaults.analytics.eventSource = "/" + PercentEncoding.encode(server.programName)
        return defaults
    }

    /// Reads and checks the configuration from flags, environment and file.
    private func readConfiguration() throws -> Reader {
        try server.checkOptionNames()
        let reader = try Reader(
            arguments: Array(CommandLine.arguments.dropFirst()),
            environment: ProcessEnvironment.variables,
            options: server.options,
            defaults: defaults,
            readFile: { FileReader.read($0, bytesMax: ConfigurationOptions.fileBytesMax) }
        )
        if reader.command.skipsConfigurationCheck { return reader }
        // The server of a script has its history in memory, so the options for journals are not
        // checked.
        if !reader.command.isAssert {
            try server.checkJournals(reader.configuration, given: reader.givenNames)
        }
        try reader.configuration.check()
        _ = try server.policyFile(reader.configuration)
        return reader
    }

    private func run(_ reader: Reader) throws -> Never {
        let configuration = reader.configuration
        switch reader.command {
        case .help(let topic):
            let help = ConfigurationHelp.text(
                of: ServerConfiguration.self,
                ownOptions: server.processOwnOptions.flatMap(\.options),
                defaults: defaults,
                program: server.programName,
                about: topic
            )
            finish(help)
        case .version:
            let library = "StoreServer \(StoreServerVersion.current)"
            finish("\(server.programName) \(server.programVersion) (\(library))\n")
        case .checkConfig:
            try configuration.checkCredentialFiles()
            _ = try configuration.collectorHeaders()
            try server.checkOwnOptions(configuration)
            finish("the configuration is good\n")
        case .printConfig:
            finish(ConfigurationHelp.configurationText(configuration, options: server.options))
        case .health(let url):
            if let trouble = HealthClient.reasonNotReady(at: url ?? HealthClient.standardURL) {
                fail(trouble, .failure)
            }
            finish("ready\n")
        case .status(let url, let isWatched):
            let client = StatusClient(
                url ?? StatusClient.standardURL,
                credential: reader.credential
            )
            if isWatched { client.watch() }
            exit(client.show() ? .success : .failure)
        case .history(let command): finish(try run(command, configuration))
        case .token(let command):
            let command = try command.readingInput()
            let runner = TokenCommandRunner(command: command, configuration: configuration)
            finish(try runner.run())
        case .policy(let command):
            let answer = try PolicyCommandRunner(
                command: command,
                server: server,
                configuration: configuration
            ).run()
            finish(answer.text, answer.exitsWithSuccess ? .success : .failure)
        case .assert(let file, let url):
            let command = try AssertCommand(file)
            let holds: Bool
            if let url {
                let shown = ScriptCredentials(
                    sessionlessReaderCredential: reader.credential,
                    senderCredentials: reader.senderCredentialsByPrincipal
                )
                holds = try command.play(at: url, showing: shown)
            } else {
                // Ignores SIGPIPE: a client that closes its connection must not end the process.
                _ = Signals([])
                holds = try server.serveScript(
                    configuration,
                    actingAs: command.principals,
                    play: command.play(at:showing:)
                )
            }
            Logger.standardError.flush()
            exit(holds ? .success : .failure)
        case .serve: try serve(configuration, unknownVariables: reader.unknownVariables)
        }
    }

    /// Runs a command for the history of the store that the command names, or of the store at `/`.
    private func run(
        _ command: HistoryCommand,
        _ configuration: ServerConfiguration
    ) throws -> String {
        guard let name = command.store else {
            try checkHistory(of: server, named: nil)
            return try server.run(command, configuration)
        }
        guard let other = server.otherStores.first(where: { $0.name.isSame(as: name) }) else {
            throw server.unknownStoreError(name)
        }
        try checkHistory(of: other.server, named: name)
        return try other.server.run(command, configuration.forStore(Links(storeName: name)))
    }

    /// Refuses a command for the history of a store in memory, because only a running server has
    /// this history.
    private func checkHistory(of server: any AnyServer, named name: String?) throws {
        guard server.isEphemeral else { return }
        throw CommandFailure(
            "the store \(name.map { "'\($0)'" } ?? "at /") keeps its history in memory, and has no "
                + "history between two runs"
        )
    }

    // Serving

    private func serve(
        _ configuration: ServerConfiguration,
        unknownVariables: [String]
    ) throws -> Never {
        AllocatorMemory.limitArenas()
        // The signals are blocked before other threads start. The other threads inherit the block,
        // so that no signal interrupts a thread.
        let signals = Signals([SIGTERM, SIGINT, SIGHUP])
        let logger = server.makeLogger(configuration)
        let manager = ServiceManager(ProcessEnvironment.variables)
        if !unknownVariables.isEmpty {
            logger.warning(
                .configurationUnknown,
                "these variables are not known: " + unknownVariables.joined(separator: ", ")
            )
        }
        DescriptorLimit.raise()
        let start = try ServerStart(server, configuration, logger) { error in
            logger.error(
                .journalFailed,
                "the journal failed: \(error); ending, so that a restart goes on from its records"
            )
            // The process ends before it answers a request, because each answer might be false.
            exitAtOnce(logger, .journalFailed)
        }
        // The start may take long, so a thread of its own runs it. This thread serves signals
        // meanwhile.
        SystemThread.start(name: "start") {
            do {
                let running = try start.becomeReady()
                for address in running.addresses {
                    logger.info(
                        .serverListening,
                        "listening on \(address)",
                        LogField("programVersion", .name(server.programVersion)),
                        LogField("libraryVersion", .name(StoreServerVersion.current))
                    )
                }
                StartMemory.giveBack()
                guard let manager else { return }
                manager.reportReady("listening on " + running.addresses.joined(separator: ", "))
                if let seconds = manager.watchdogSeconds {
                    running.repeatWhileHealthy(every: seconds / 3, manager.reportAlive)
                }
            } catch {
                // If a stop ended the start, the thread of that stop ends the process.
                guard !start.isCancelled else { return }
                _ = start.stop()
                logger.flush()
                fail(error)
            }
        }
        signals.serveMainQueue { signal in
            if signal == SIGHUP {
                reload(start, logger, manager)
            } else {
                manager?.reportStopping()
                stop(start, logger)
            }
        }
    }

    /// Reads the configuration again, and applies the settings that may change. Changes nothing if
    /// the configuration can't be used, or if the server is not ready yet.
    private func reload(_ start: ServerStart, _ logger: Logger, _ manager: ServiceManager?) {
        manager?.reportReloading()
        defer { manager?.reportReady("reloaded") }
        do {
            let configuration = try readConfiguration().configuration
            start.runningServer?.reload(configuration)
        } catch {
            logger.error(.configurationRefused, "the configuration stays as it is: \(error)")
        }
    }

    private func stop(_ start: ServerStart, _ logger: Logger) -> Never {
        logger.info(.serverStopping, "stopping")
        let outcome = start.stop()
        if start.isCancelled {
            logger.info(.serverStopped, "stopped before the start was done")
            exitAtOnce(logger, .success)
        }
        switch outcome {
        case .clean: logger.info(.serverStopped, "stopped")
        case .clientsCutOff:
            logger.info(.serverStopped, "stopped at the deadline; some clients were cut off")
        case .unfinished(let part):
            logger.error(
                .serverStopped,
                "ending at the deadline, without \(part); the journal has all acknowledged actions"
            )
            exitAtOnce(logger, .stopUnfinished)
        }
        logger.flush()
        exit(.success)
    }

    // The end of the process

    /// Ends the process at once, without the exit handlers of the C library, so that running
    /// threads can't delay the end.
    private func exitAtOnce(_ logger: Logger, _ status: ExitStatus) -> Never {
        logger.flush()
        _exit(status.rawValue)
    }

    private func exit(_ status: ExitStatus) -> Never { Glibc.exit(status.rawValue) }

    private func finish(_ text: String, _ status: ExitStatus = .success) -> Never {
        print(text, terminator: "")
        fflush(nil)
        Logger.standardError.flush()
        exit(status)
    }

    private func fail(_ error: any Error) -> Never { fail("\(error)", ExitStatus(of: error)) }

    private func fail(_ text: String, _ status: ExitStatus) -> Never {
        let log = LogWriter(descriptor: STDERR_FILENO, name: server.programName)
        Logger.standardError.flush()
        for line in text.split(separator: "\n") { log.offer(LogLine(.info, String(line))) }
        Logger(log).flush()
        exit(status)
    }
}

/// The exit statuses of a program. If sysexits.h has a suitable status, its number is used.
enum ExitStatus: CInt {
    case success = 0
    /// The server could not start, or a command failed.
    case failure = 1
    /// The command line, the configuration or a script can't be used.
    case usage = 2
    /// A dependency of the program could not be prepared; a new start may succeed (EX_UNAVAILABLE).
    case unavailable = 69
    /// An append to the journal had an unknown outcome: a new start continues with the history of
    /// the journal (EX_IOERR).
    case journalFailed = 74
    /// A stop could not finish in time: a new start continues with the history of the journal
    /// (EX_TEMPFAIL).
    case stopUnfinished = 75

    init(of error: any Error) {
        switch error {
        case is UsageError, is ConfigurationError: self = .usage
        case is PreparationFailure: self = .unavailable
        default: self = .failure
        }
    }
}
