import StoreActionCatalog
import StoreCommandLine
import StoreCore
import StoreHistory
import StoreJSON
import StoreJournalSQLite
import StoreTelemetry

struct HistoryCommandRunner<State: Codable & Equatable & Sendable> {
    let command: HistoryCommand
    let server: Server<State>
    let configuration: ServerConfiguration

    var logger: Logger { server.makeLogger() }

    /// Runs the command. Returns the text to print.
    func run() throws -> String {
        do {
            return switch (command.verb, command.fileOrUserName) {
            case (.backup, let file?): try backup(to: file)
            case (.import, let file?): try importLines(from: file)
            case (.export, let file): try export(to: file)
            case (.forget, let name?): try forget(name)
            case (.verify, _): try verify()
            case (.backup, nil), (.forget, nil), (.import, nil): ""
            }
        } catch let error as JournalError { throw CommandFailure(error) }
    }

    private func backup(to file: String) throws -> String {
        guard server.openProgramJournal == nil else {
            throw CommandFailure(
                "this program has a journal of its own, which 'backup' can't copy; "
                    + "back it up by its own means, or write the actions with 'export'"
            )
        }
        let directory = try directoryWithHistory()
        do {
            let journal = try openForReading(directory)
            defer { journal.close() }
            try journal.backup(to: file)
            return "\(file) holds the history of \(directory) up to version \(journal.version)\n"
        } catch let error as JournalOpenError where error.reason == .inUse {
            try SQLiteJournal.backup(inUse: directory, to: file)
            return
                "\(file) holds the history of \(directory) at one moment while a server used it\n"
        }
    }

    private func verify() throws -> String {
        if let openProgramJournal = server.openProgramJournal {
            let opened = try openProgramJournal()
            defer { opened.close() }
            return """
                this program has a journal of its own, which checks its records itself
                \(try replayAll(opened.journal))

                """
        }
        let verificationFile = VerificationFile(in: configuration.history.directory)
        if command.skipsVerifiedHistory {
            guard SQLiteJournal.exists(in: configuration.history.directory) else {
                return "there is no history in \(configuration.history.directory) yet\n"
            }
            if verificationFile.namesThisProgram {
                let place = configuration.history.directory
                return "this program has verified the history of \(place) before\n"
            }
        }
        let directory = try directoryWithHistory()
        let journal = try openForReading(directory, sealer: server.recordSealer(configuration))
        defer { journal.close() }
        let report = try journal.verifyAll()
        guard report.isIntact else {
            throw CommandFailure(report.faults.joined(separator: "\n"))
        }
        let forgotten =
            journal.oldestRestorableVersion == 0 ? "" : try forgottenRecordsText(in: journal)
        let replayed = try replayAll(journal)
        if command.skipsVerifiedHistory { verificationFile.write() }
        return """
            \(report.recordsCount) records, \(report.snapshotsCount) snapshots and \
            \(report.outcomesCount) idempotency keys are intact, up to version \(report.newestVersion)
            \(forgotten)\(replayed)

            """
    }

    private func forgottenRecordsText(in journal: SQLiteJournal) throws -> String {
        """
        the content of \(try journal.countForgotten()) records is forgotten; states before version \
        \(journal.oldestRestorableVersion) can't be made again

        """
    }

    /// Replays all records, and returns a line about the compared snapshots.
    private func replayAll(_ journal: any Journal) throws -> String {
        try SnapshotComparison(
            replay: RecoveredHistory.replay(
                of: server.program,
                in: journal,
                registry: ActionRegistry(server.actions, server.composition.actions())
            ),
            progress: .ofCommand(logger)
        ).run()
    }

    /// Opens a journal, calls `use` with the journal, and closes the journal. The journal is the
    /// program's own journal; if the program has none, `open` opens a journal in the data
    /// directory.
    func withJournal<Result>(
        _ open: () throws -> SQLiteJournal,
        use: (any Journal) throws -> Result
    ) throws -> Result {
        func openDirectory() throws -> OpenJournal {
            let journal = try open()
            return OpenJournal(journal, close: journal.close)
        }
        let opened = try server.openProgramJournal?() ?? openDirectory()
        defer { opened.close() }
        return try use(opened.journal)
    }

    /// Returns the data directory. Throws if the directory has no history, because a command that
    /// reads must not begin a history.
    func directoryWithHistory() throws -> String {
        let directory = configuration.history.directory
        guard SQLiteJournal.exists(in: directory) else {
            throw CommandFailure(
                "there is no history in \(directory); --data names its directory"
            )
        }
        return directory
    }

    /// Opens the journal of a directory for a command that only reads. A file from an older server
    /// keeps its form.
    ///
    /// Without a sealer, the opened journal returns records in their stored form.
    func openForReading(
        _ directory: String,
        sealer: RecordSealer? = nil
    ) throws(JournalOpenError) -> SQLiteJournal {
        try SQLiteJournal(
            directory: directory,
            retention: Retention(),
            keyClock: nil,
            acceptDataLoss: false,
            keepsForm: true,
            follower: nil,
            sealer: sealer,
            log: logger.warningWriter(.journalNoted)
        )
    }
}

extension CommandFailure {
    init(_ error: JournalError) {
        let reason =
            switch error {
            case .storageFull: "there is no room left on the disk"
            case .corrupt(let what), .unknown(let what): what
            case .gone(let oldest): "history begins at version \(oldest)"
            case .conflict(let version): "the history is at version \(version) already"
            }
        self.init(reason)
    }
}

/// Replays all records with this program's reducer, and compares the states with the snapshots in
/// the journal.
struct SnapshotComparison<State: Codable & Equatable & Sendable> {
    let replay: Replay<State>
    let progress: ReplayReporter
    private let encoder = JSONEncoder()

    /// Runs the comparison. Returns a line with the numbers of replayed actions and compared
    /// snapshots. Throws if a state differs from its snapshot, or if a state can't be made.
    func run() throws -> String {
        let end = replay.journal.version
        do {
            let snapshots = try snapshots(until: end)
            var base = try replay.base(for: snapshots.first?.version ?? 0)
            var compared = 0
            var different: UInt64?
            let start = base.version
            try replay.advance(&base, through: end, showing: progress) { record, state in
                guard let then = snapshots.first(where: { $0.version == record.version }),
                    replay.hasCurrentForm(then)
                else { return true }
                compared += 1
                if (try? encoder.encode(state)) == then.state { return true }
                different = record.version
                return false
            }
            if let different {
                throw CommandFailure(
                    "the state of version \(different) that this program makes differs from the "
                        + "snapshot of that version: its reducer has changed"
                )
            }
            let others = snapshots.filter { !replay.hasCurrentForm($0) }.count
            return
                "\(end - start) actions replayed; snapshots compared: \(compared), different: 0"
                + (others > 0 ? ", of another form of the state, not compared: \(others)" : "")
        } catch let error as ReplayError {
            throw CommandFailure(RecoveryError(error, version: end).description)
        }
    }

    /// Returns the kept snapshots, oldest first.
    private func snapshots(until end: UInt64) throws(ReplayError) -> [StateSnapshot] {
        var found: [StateSnapshot] = []
        var version = end
        do {
            while let snapshot = try replay.journal.snapshot(atOrBefore: version) {
                found.insert(snapshot, at: 0)
                guard snapshot.version > 0 else { break }
                version = snapshot.version - 1
            }
        } catch { throw .journal(error) }
        return found
    }
}
