import StoreActionCatalog
import StoreCommandLine
import StoreCore
import StoreHistory
import StoreJSON
import StoreJournalSQLite
import StoreTelemetry

// The command `export` writes history as lines of JSON, one for each action. `import` reads them.

extension HistoryCommandRunner {
    /// Writes every kept action of the journal to a file, or to standard output. Returns the text
    /// to print.
    func export(to file: String?) throws -> String {
        try withJournal {
            // An export needs no keys. Only the warning about a first state from a file needs the
            // keys.
            try openForReading(
                directoryWithHistory(),
                sealer: server.hasKeys(configuration) ? server.recordSealer(configuration) : nil
            )
        } use: {
            try export($0, to: file)
        }
    }

    private func export(_ journal: any Journal, to file: String?) throws -> String {
        let output = try LineOutput(file)
        // The last exported version. The loop reads the journal in pages, so that it needs little
        // memory.
        var after = journal.oldestVersion - 1
        // The programs whose forms are not written yet. The forms are in the line of a program's
        // first record.
        var programs: [UInt32: ProgramDescription] = [:]
        for kept in try journal.programs() { programs[kept.number] = kept.program }
        while after < journal.version {
            let request = JournalPageRequest(after: after, limit: 1_000)
            // An export has the sealed values. So the destruction of a key also makes the values in
            // earlier exports unreadable.
            let page =
                try (journal as? SQLiteJournal)?.readStoredRecords(request) ?? journal.read(request)
            for record in page.records {
                let program = programs.removeValue(forKey: record.program)
                try output.write(HistoryLine(record: record, introducedProgram: program).bytes)
            }
            after = page.through
        }
        try output.finish()
        try warnOfWhatIsMissing(in: journal)
        guard let file else { return "" }
        return
            "\(file) has the actions of versions \(journal.oldestVersion) to \(journal.version)\n"
    }

    /// Warns if the exported lines alone can't restore the same state.
    private func warnOfWhatIsMissing(in journal: any Journal) throws {
        if journal.oldestVersion > 1 {
            logger.warning(
                .historyNoted,
                "versions before \(journal.oldestVersion) are no longer kept, and not exported"
            )
        }
        if try GivenState.firstSnapshot(of: journal) != nil {
            logger.warning(
                .historyNoted,
                "history began with the state of a file: import needs that file as --state-file"
            )
        }
    }

    // The command `import` begins a history with the lines that `export` wrote.

    /// Begins a history with the actions of an exported file. Returns the text to print.
    func importLines(from file: String) throws -> String {
        // The file is opened first, so that a file that can't be read begins no history.
        let input = try LineInput(file)
        return try withJournal {
            try SQLiteJournal(
                directory: configuration.history.directory,
                retention: Retention(),
                keyClock: nil,
                acceptDataLoss: false,
                follower: nil,
                sealer: server.recordSealer(configuration),
                log: logger.warningWriter(.journalNoted)
            )
        } use: { journal in
            try importLines(from: input, of: file, into: journal)
        }
    }

    private func importLines(
        from input: LineInput,
        of file: String,
        into journal: any Journal
    ) throws -> String {
        let registry = try ActionRegistry<State>(server.actions, server.composition.actions())
        let place =
            server.hasCustomJournal ? "the program's own journal" : configuration.history.directory
        guard journal.version == 0 else {
            throw CommandFailure(
                "\(place) has a history already, up to version \(journal.version); give an empty "
                    + (server.hasCustomJournal ? "one" : "directory with --data")
            )
        }
        // Saves the initial state as the snapshot of version 0, with which the history begins.
        let history = try RecoveredHistory(
            of: server.program,
            in: journal,
            registry: registry,
            encoder: JSONEncoder(),
            beginningWith: server.stateFile(configuration),
            logger: logger
        )
        var state = history.state
        var programs = ImportedPrograms(into: journal)
        var batch = JournalBatch()
        func append() throws {
            try journal.append(batch, at: journal.version)
            batch.records.removeAll(keepingCapacity: true)
        }
        var replay = RecordReplay(
            RecordReader(history.replay.forms),
            ProgressCounter(
                .ofCommand(logger),
                "imported",
                after: 0,
                through: try LineInput.countLines(in: file)
            )
        )
        while let line = try input.next() {
            do {
                let record = try HistoryLine(reading: line, &programs).record
                guard record.version == journal.version + UInt64(batch.records.count) + 1 else {
                    throw CommandFailure("version \(record.version) is not the next version")
                }
                // The action is reduced before its record is appended: the history must not get an
                // action that can't be replayed.
                let plain = try (journal as? SQLiteJournal)?.plain(record) ?? record
                if plain.isForgotten {
                    throw CommandFailure(
                        "its content is forgotten, so the states after it can't be made again; "
                            + "a history with forgotten content begins from a backup"
                    )
                }
                try replay.reduce(plain) { try server.reducer(&state, $0, $1, $2) }
                programs.noteIfWithoutProgram(record)
                batch.records.append(record)
            } catch { throw CommandFailure("line \(input.lineNumber) of \(file): \(error)") }
            if batch.records.count == 1_000 { try append() }
        }
        try append()
        replay.finish()
        try history.registerProgram(afterNames: programs.recordNamesWithoutProgram)
        return "\(place) has \(journal.version) actions\n"
    }
}
