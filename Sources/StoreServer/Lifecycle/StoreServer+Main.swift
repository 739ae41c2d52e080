import ActionCatalog
import Glibc
import Platform
import ServerCommandLine
import StoreCore
import Telemetry
import Wire

extension StoreServer {
    /// Does what the command line asks for, and ends the process: 0 after a clean stop, 1 where the
    /// server could not start, or a health check or an assertion failed, 2 for a bad command line,
    /// configuration or script, 69 where what it needs could not be prepared, 74 where the journal
    /// failed, 75 where a stop had to leave a reducer or the disk behind.
    ///
    /// Called on the main thread. A server that runs serves the main queue, so observers and
    /// commands may ask for it.
    public func main() -> Never {
        StandardFiles.fillIn()
        let reader: ConfigurationReader<ServerConfiguration>
        do {
            reader = try ConfigurationReader(
                arguments: Array(CommandLine.arguments.dropFirst()),
                environment: ProcessEnvironment.all,
                readFile: { FileReader.read($0, bytesMax: ConfigurationOptions.fileBytesMax) }
            )
            if givenJournal != nil, !reader.command.isAssert {
                try GivenJournal.check(reader.configuration, said: reader.said)
            }
            try reader.configuration.check()
        } catch {
            fail("\(error)", status: 2)
        }
        switch reader.command {
        case .help: finish(ConfigurationHelp<ServerConfiguration>.text(program: name))
        case .version: finish("\(name) \(version)\n")
        case .checkConfig: finish("the configuration is good\n")
        case .printConfig:
            finish(ConfigurationHelp<ServerConfiguration>.print(reader.configuration))
        case .health(let url):
            if let trouble = HealthClient.ask(url ?? HealthClient.standardURL) {
                fail(trouble, status: 1)
            }
            finish("ready\n")
        case .history(let command):
            do {
                finish(try run(command, reader.configuration))
            } catch let error as UsageError {
                fail("\(error)", status: 2)
            } catch let error as ConfigurationError {
                fail("\(error)", status: 2)
            } catch {
                fail("\(error)", status: 1)
            }
        case .assert(let file, let url):
            do {
                let holds = try assert(file, at: url, reader.configuration)
                Log.flush()
                exit(holds ? 0 : 1)
            } catch let error as UsageError {
                fail("\(error)", status: 2)
            } catch let error as ConfigurationError {
                fail("\(error)", status: 2)
            } catch {
                fail("\(error)", status: 1)
            }
        case .serve:
            if !reader.unknownVariables.isEmpty {
                Log.warning(
                    "these variables mean nothing here: "
                        + reader.unknownVariables.joined(separator: ", ")
                )
            }
            serve(reader.configuration)
        }
    }

    /// The status of a process that was told to stop and could not finish in time. A new start goes on
    /// from what the journal has (sysexits.h: EX_TEMPFAIL).
    private static var stopUnfinishedStatus: CInt { 75 }

    private func serve(_ configuration: ServerConfiguration) -> Never {
        // Before any thread starts, so that all of them leave the signals to this one.
        let signals = Signals([SIGTERM, SIGINT, SIGHUP])
        let start: ServerStart
        do {
            start = try begin(configuration)
        } catch {
            fail("\(error)", status: Self.status(after: error))
        }
        // Signals are served meanwhile: a start may take long.
        SystemThread.start(name: "start") {
            do {
                for address in try finish(start).addresses { Log.notice("listening on \(address)") }
            } catch {
                // The thread that has stopped it ends the process.
                guard !start.isEnded else { return }
                _ = start.stop()
                fail("\(error)", status: Self.status(after: error))
            }
        }
        signals.serveMainQueue { signal in
            if signal == SIGHUP {
                start.reopenFiles()
                return
            }
            Log.notice("stopping")
            let outcome = start.stop()
            guard start.isEnded else { end(after: outcome) }
            Log.notice("stopped before the start was done")
            Log.flush()
            // What is under way must not hold up what the C library does at a process's end.
            _exit(0)
        }
    }

    /// The status of a process whose start has failed.
    private static func status(after error: any Error) -> CInt {
        switch error {
        case is ConfigurationError: 2
        case is PreparationFailure: preparationFailedStatus
        default: 1
        }
    }

    /// The status of a process whose program could not prepare what it needs: a new start may find it
    /// (sysexits.h: EX_UNAVAILABLE).
    private static var preparationFailedStatus: CInt { 69 }

    private func end(after outcome: StopOutcome) -> Never {
        switch outcome {
        case .clean: Log.notice("stopped")
        case .clientsCutOff: Log.notice("stopped at the deadline; some clients were cut off")
        case .unfinished(let what):
            Log.error(
                "ending at the deadline, without \(what); what was acknowledged is in the journal"
            )
            Log.flush()
            // What did not end must not hold up what the C library does at a process's end, either.
            _exit(Self.stopUnfinishedStatus)
        }
        Log.flush()
        exit(0)
    }

    private func finish(_ text: String) -> Never {
        print(text, terminator: "")
        fflush(nil)
        Log.flush()
        exit(0)
    }

    private func fail(_ text: String, status: CInt) -> Never {
        for line in text.split(separator: "\n") { Log.write("\(name): ", String(line)) }
        Log.flush()
        exit(status)
    }
}
