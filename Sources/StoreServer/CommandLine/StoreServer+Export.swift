import StoreCommandLine
import StoreCore
import StoreHistory
import StoreJournalSQLite
import StoreTelemetry

// The command `export` writes history as lines of JSON, one for each action. `import` reads them.

extension StoreServer {
    /// Writes every action that the journal still keeps to a file, or to standard output. Returns
    /// the text to print.
    func export(_ configuration: ServerConfiguration, to file: String?) throws -> String {
        try withJournal {
            let directory = try HistoryCommand.existing(configuration)
            return try HistoryCommand.open(directory, log: makeLogger().warnings(.journalNoted))
        } use: { journal in
            try export(journal, to: file)
        }
    }

    private func export(_ journal: any Journal, to file: String?) throws -> String {
        let output = try LineOutput(file)
        // The version that was exported last. A page at a time bounds the memory.
        var after = journal.oldest - 1
        do {
            // The programs whose forms are not written yet; each goes with the first of its
            // records.
            var programs: [UInt32: WritingProgram] = [:]
            for kept in try journal.programs() { programs[kept.number] = kept.program }
            while after < journal.version {
                let page = try journal.read(JournalPage(after: after, limit: 1_000))
                for record in page.records {
                    let program = programs.removeValue(forKey: record.program)
                    try output.write(HistoryLine(record, writtenBy: program).bytes)
                }
                after = page.through
            }
        } catch let error as JournalError {
            throw HistoryCommandError(error)
        }
        try output.finish()
        try warnOfWhatIsMissing(in: journal)
        guard let file else { return "" }
        return "\(file) has the actions of versions \(journal.oldest) to \(journal.version)\n"
    }

    /// Warns if the exported lines alone can't restore the same state.
    private func warnOfWhatIsMissing(in journal: any Journal) throws {
        if journal.oldest > 1 {
            makeLogger().warning(
                .historyNoted,
                "versions before \(journal.oldest) are no longer kept, and not exported"
            )
        }
        if try GivenState.began(journal) != nil {
            makeLogger().warning(
                .historyNoted,
                "history began with the state of a file: import needs it as --state-file"
            )
        }
    }
}
