import StoreCore

/// A comparison of today's program with the earlier programs that have written the history.
///
/// A start needs only the newest snapshot and the records after that snapshot. But past versions
/// and `verify` need the records before the snapshot, too. So if the last start was a start of
/// another program, this program reads a record for each changed form. If the program can't read
/// one of these records, the start fails.
struct ProgramComparison {
    /// A name in the records of one program. Unknown programs have the number 0.
    private struct Key: Hashable {
        let program: UInt32
        let name: ExactText
    }

    /// The maximum number of names in the cache of patterns.
    private static let namesMax = 10_000

    let journal: any Journal
    let forms: RecordForms
    let progress: ReplayReporter?

    /// Compares the programs. Returns the programs that have to register after the start, in the
    /// order of their registration. If the journal has no programs yet, the result begins with a
    /// program made from the wire names in the records. The last program is today's program.
    ///
    /// - Throws: ``ReplayError/unreadable(_:)`` with the first record of each unreadable name, and
    ///   ``ReplayError/journal(_:)``.
    func programsToRegister() throws(ReplayError) -> [ProgramDescription] {
        let kept: [RegisteredProgram]
        do { kept = try journal.programs() } catch { throw .journal(error) }
        forms.add(kept)
        let today = forms.todaysForms.programDescription
        let numbers = Set(kept.map(\.number))
        guard let last = kept.last else {
            let names = try recordNamesWithoutProgram(numbers)
            return (names.isEmpty ? [] : [ProgramForms(names: names).programDescription]) + [today]
        }
        if last.program.digest != today.digest {
            try readRecordsOfChangedForms(kept, numbers, beside: today)
        }
        return [today]
    }

    /// Reads the first record of each name, and returns the names of records without a known
    /// program.
    private func recordNamesWithoutProgram(_ numbers: Set<UInt32>) throws(ReplayError) -> [String] {
        var found: [ExactText: String] = [:]
        try readChosenRecords(numbers) { key, pattern in
            guard key.program == 0, found[key.name] == nil else { return .skip }
            found[key.name] = pattern
            return .read
        }
        return found.values.filter { ClientRequest(recorded: $0) == nil }.sorted()
    }

    /// Reads the first record of each name whose form has changed or whose action is gone.
    private func readRecordsOfChangedForms(
        _ kept: [RegisteredProgram],
        _ numbers: Set<UInt32>,
        beside today: ProgramDescription
    ) throws(ReplayError) {
        var unreadKeys: Set<Key> = []
        for program in kept where program.program.digest != today.digest {
            guard let then = ProgramForms(program.program) else { continue }
            for form in then.forms where !form.isOnlyMigrated {
                if form.form != nil, form == forms.todaysForms[form.name] { continue }
                let number = form.form == nil ? 0 : program.number
                unreadKeys.insert(Key(program: number, name: ExactText(form.name)))
            }
        }
        guard !unreadKeys.isEmpty else { return }
        try readChosenRecords(numbers) { key, _ in
            guard unreadKeys.remove(key) != nil else { return .skip }
            return unreadKeys.isEmpty ? .readAndEnd : .read
        }
    }

    private enum ReadChoice { case skip, read, readAndEnd }

    /// Iterates over all records, and reads each record for which `choose` does not return `skip`.
    /// Ends after a record for which `choose` returns `readAndEnd`. A program whose number is not
    /// in `numbers` is unknown.
    private func readChosenRecords(
        _ numbers: Set<UInt32>,
        _ choose: (Key, String) -> ReadChoice
    ) throws(ReplayError) {
        let (start, end) = (journal.oldestVersion - 1, journal.version)
        let reader = RecordReader(forms)
        var pages = JournalPages(journal, after: start, through: end)
        var counter = ProgressCounter(progress, "compared", after: start, through: end)
        defer { counter.finish() }
        var patterns: [ExactText: String] = [:]
        var unreadable: [UnreadableRecord] = []
        walk: while let records = try pages.next() {
            for record in records {
                counter.advance(to: record.version)
                let whole = ExactText(record.type)
                let pattern = patterns[whole] ?? RecordName(record.type).pattern
                if patterns.count < Self.namesMax { patterns[whole] = pattern }
                let program = numbers.contains(record.program) ? record.program : 0
                let key = Key(program: program, name: ExactText(pattern))
                let choice = choose(key, pattern)
                if case .skip = choice { continue }
                do { _ = try reader.action(of: record) } catch { unreadable.append(error) }
                if case .readAndEnd = choice { break walk }
            }
        }
        guard unreadable.isEmpty else { throw .unreadable(unreadable) }
    }
}
