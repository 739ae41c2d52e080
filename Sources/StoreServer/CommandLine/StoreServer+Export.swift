import ActionCatalog
import Glibc
import JournalSQLite
import ServerCommandLine
import StoreCore
import StoreHistory
import Telemetry
import Wire

extension StoreServer {
    /// Writes every action that history reaches back to as a JSON line.
    func export(_ configuration: ServerConfiguration, to file: String?) throws -> String {
        try withJournal {
            let directory = try HistoryCommand.existing(configuration)
            return try SQLiteJournal(directory: directory, log: makeLogger().warning)
        } _: { journal in
            try export(journal, to: file)
        }
    }

    private func export(_ journal: any Journal, to file: String?) throws -> String {
        let output = try LineOutput(file)
        var after = journal.oldest - 1
        do {
            while after < journal.version {
                let page = try journal.read(JournalPage(after: after, limit: 1_000))
                for record in page.records { try output.write(HistoryLine(record).bytes) }
                after = page.through
            }
        } catch let error as JournalError {
            throw HistoryCommandError(error)
        }
        try output.finish()
        if journal.oldest > 1 {
            makeLogger().warning(
                "versions before \(journal.oldest) are no longer kept, and not exported"
            )
        }
        if try GivenState.began(journal) != nil {
            makeLogger().warning(
                "history began with the state of a file: import needs it as --state-file"
            )
        }
        guard let file else { return "" }
        return "\(file) has the actions of versions \(journal.oldest) to \(journal.version)\n"
    }

    /// Begins a history with exported actions.
    func importLines(_ configuration: ServerConfiguration, from file: String) throws -> String {
        try withJournal {
            try SQLiteJournal(directory: configuration.dataDirectory, log: makeLogger().warning)
        } _: { journal in
            try importLines(configuration, from: file, into: journal)
        }
    }

    private func importLines(
        _ configuration: ServerConfiguration,
        from file: String,
        into journal: any Journal
    ) throws -> String {
        let registry = try ActionRegistry<State>(actions, composition.actions())
        let input = try LineInput(file)
        let place = givenJournal == nil ? configuration.dataDirectory : "the program's own journal"
        guard journal.version == 0 else {
            throw HistoryCommandError(
                "\(place) has a history already, up to version \(journal.version); give an empty "
                    + (givenJournal == nil ? "directory with --data" : "one")
            )
        }
        let history = try History(
            of: program,
            in: journal,
            registry: registry,
            encoder: JSONEncoder(),
            beginningWith: stateFile(configuration),
            logger: makeLogger()
        )
        // Reduced before it is kept, so that what can't be replayed does not become history.
        var state = history.state
        var reader = RecordReader(registry.table, migrations)
        var batch = JournalBatch()
        while let line = try input.next() {
            do {
                let record = try HistoryLine(reading: line).record
                guard record.version == journal.version + UInt64(batch.records.count) + 1 else {
                    throw HistoryCommandError("version \(record.version) does not follow")
                }
                if let action = try reader.action(of: record) {
                    try reducer(&state, action, record.version)
                }
                batch.records.append(record)
            } catch {
                let reason = (error as? UnreadableRecord)?.reason ?? "\(error)"
                throw HistoryCommandError("line \(input.number) of \(file): \(reason)")
            }
            if batch.records.count == 1_000 { try journal.keep(&batch) }
        }
        try journal.keep(&batch)
        return "\(place) has \(journal.version) actions\n"
    }
}

extension Journal {
    fileprivate func keep(_ batch: inout JournalBatch) throws {
        do { try append(batch, at: version) } catch { throw HistoryCommandError(error) }
        batch.records.removeAll(keepingCapacity: true)
    }
}
