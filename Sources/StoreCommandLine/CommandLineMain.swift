import Glibc
import StorePlatform
import StoreTelemetry

/// Runs the command line, and ends the process with an ``ExitStatus``.
///
/// The resources of the process belong to this type and the functions that it calls. They are
/// signals, standard input and output, the limit of open files, and the end of the process.
package struct CommandLineMain<Program: CommandLineProgram> {
    let program: Program

    package init(_ program: Program) { self.program = program }

    /// Runs the command. Called on the main thread. A server that runs serves the main queue.
    package func run() -> Never {
        StandardFiles.fillIn()
        CoreDumps.forbid()
        do { try run(try read()) } catch { fail(error) }
    }

    /// Reads and checks the configuration from flags, environment and file.
    private func read() throws -> ConfigurationReader<Program.Configuration> {
        let reader = try ConfigurationReader<Program.Configuration>(
            arguments: Array(CommandLine.arguments.dropFirst()),
            environment: ProcessEnvironment.all,
            readFile: { FileReader.read($0, bytesMax: ConfigurationOptions.fileBytesMax) }
        )
        if !reader.command.needsNoServer {
            try program.check(
                reader.configuration,
                given: reader.given,
                keepsNothing: reader.command.isAssert
            )
        }
        return reader
    }

    private func run(_ reader: ConfigurationReader<Program.Configuration>) throws -> Never {
        typealias Help = ConfigurationHelp<Program.Configuration>
        switch reader.command {
        case .help(let topic): finish(Help.text(program: program.name, about: topic))
        case .version: finish("\(program.name) \(program.version) (\(program.library))\n")
        case .checkConfig:
            try program.checkFiles(reader.configuration)
            finish("the configuration is good\n")
        case .printConfig: finish(Help.print(reader.configuration))
        case .health(let url):
            if let trouble = HealthClient.ask(url ?? HealthClient.standardURL) {
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
        case .history(let command): finish(try program.run(command, reader.configuration))
        case .token(let command):
            finish(try program.run(try command.readingInput(), reader.configuration))
        case .policy(let command):
            let answer = try program.run(command, reader.configuration)
            finish(answer.text, answer.isGood ? .success : .failure)
        case .assert(let file, let url):
            let command = try AssertCommand(file)
            let shown = ScriptCredentials(reader: reader.credential, senders: reader.senders)
            let holds = try command.run(at: url, showing: shown) { principals in
                // A client that closes its connection must not end the process.
                _ = Signals([])
                return try program.startForScript(reader.configuration, as: principals)
            }
            Logger.standardError.flush()
            exit(holds ? .success : .failure)
        case .serve: try serve(reader.configuration, unknownVariables: reader.unknownVariables)
        }
    }

    private func serve(
        _ configuration: Program.Configuration,
        unknownVariables: [String]
    ) throws -> Never {
        AllocatorMemory.shareArenas()
        // The signals are blocked before any thread starts, so that all threads leave them to this
        // one.
        let signals = Signals([SIGTERM, SIGINT, SIGHUP])
        let logger = program.makeLogger(configuration)
        let manager = ServiceManager(ProcessEnvironment.all)
        if !unknownVariables.isEmpty {
            logger.warning(
                .configurationUnknown,
                "these variables are not known: " + unknownVariables.joined(separator: ", ")
            )
        }
        DescriptorLimit.raise()
        let server = try program.begin(configuration, logger) { error in
            logger.error(
                .journalFailed,
                "the journal failed: \(error); ending, so that a restart goes on from its records"
            )
            // The process ends at once: no request is answered, because no answer would be true.
            end(logger, .journalFailed)
        }
        // Signals are served meanwhile: a start may take long.
        SystemThread.start(name: "start") {
            do {
                let addresses = try server.becomeReady()
                for address in addresses {
                    logger.notice(.serverListening, "listening on \(address)")
                }
                StartMemory.giveBack()
                guard let manager else { return }
                manager.reportReady("listening on " + addresses.joined(separator: ", "))
                if let seconds = manager.watchdogSeconds {
                    server.whileItWorks(every: seconds / 3, manager.reportAlive)
                }
            } catch {
                // If a stop ended the start, the thread of that stop ends the process.
                guard !server.isEnded else { return }
                _ = server.stop()
                logger.flush()
                fail(error)
            }
        }
        signals.serveMainQueue { signal in
            if signal == SIGHUP {
                reload(server, logger, manager)
            } else {
                manager?.reportStopping()
                stop(server, logger)
            }
        }
    }

    /// Reads the configuration again, and applies the settings that may change. A configuration
    /// that can't be used changes nothing.
    private func reload(_ server: Program.Server, _ logger: Logger, _ manager: ServiceManager?) {
        manager?.reportReloading()
        defer { manager?.reportReady("reloaded") }
        do { server.reload(try read().configuration) } catch {
            logger.error(.configurationRefused, "the configuration stays as it is: \(error)")
        }
    }

    private func stop(_ server: Program.Server, _ logger: Logger) -> Never {
        logger.notice(.serverStopping, "stopping")
        let outcome = server.stop()
        if server.isEnded {
            logger.notice(.serverStopped, "stopped before the start was done")
            end(logger, .success)
        }
        switch outcome {
        case .clean: logger.notice(.serverStopped, "stopped")
        case .clientsCutOff:
            logger.notice(.serverStopped, "stopped at the deadline; some clients were cut off")
        case .unfinished(let what):
            logger.error(
                .serverStopped,
                "ending at the deadline, without \(what); the journal has all acknowledged actions"
            )
            end(logger, .stopUnfinished)
        }
        logger.flush()
        exit(.success)
    }

    /// Ends the process at once, without the exit handlers of the C library: threads that still
    /// work must not delay it.
    private func end(_ logger: Logger, _ status: ExitStatus) -> Never {
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

    private func fail(_ error: any Error) -> Never {
        fail("\(error)", (error as? any ExitStatusProviding)?.exitStatus ?? .failure)
    }

    private func fail(_ text: String, _ status: ExitStatus) -> Never {
        let log = LogWriter(descriptor: STDERR_FILENO, name: program.name)
        Logger.standardError.flush()
        for line in text.split(separator: "\n") { log.offer(LogLine(.info, String(line))) }
        Logger(log).flush()
        exit(status)
    }
}
