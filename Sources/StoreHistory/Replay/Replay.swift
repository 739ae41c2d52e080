package import StoreCore
package import StorePlatform
import StoreWire

/// Makes the state of a version again: from a snapshot, by the actions after it.
///
/// The next page of the journal is read while the last one is reduced.
package struct Replay<State: Codable & Sendable>: Sendable {
    package let initial: State
    /// How records are read.
    package let forms: RecordForms
    package let reducer: StateReducer<State>
    /// Fills in what modules see of one another: what sessions begin with is not in a snapshot.
    package let connect: @Sendable (inout State) -> Void
    package let journal: any Journal
    /// Identifies the form of the state's type, by the SHA-256 of its JSON Schema.
    package let form: String

    /// Reduces every record after `start` up to `end`. `each` sees the state after each record;
    /// where it returns `false`, the replay ends.
    ///
    /// - Throws: ``ReplayError``, also where the deadline has passed.
    package func advance(
        _ state: inout State,
        after start: UInt64,
        through end: UInt64,
        until deadline: Deadline? = nil,
        showing progress: ReplayProgress? = nil,
        each: (borrowing Record, State) -> Bool = { _, _ in true }
    ) throws(ReplayError) {
        var reader = RecordReader(forms)
        var pages = JournalPages(journal, after: start, through: end)
        var counter = ProgressCounter(progress, "replayed", after: start, through: end)
        defer { counter.finish() }
        while let records = try pages.next() {
            if let deadline, deadline.isOver { throw .tooLong(records[0].version) }
            for record in records {
                let action: (any Action)?
                do {
                    action = try reader.action(of: record)
                } catch {
                    throw try unreadable(from: error, records, &pages, &reader)
                }
                if let action {
                    do { try reducer(&state, action, record.version, record.session) } catch {
                        throw .diverged(record.version, (error as? Refusal)?.reason ?? "\(error)")
                    }
                }
                counter.reached(record.version)
                guard each(record, state) else { return }
            }
        }
    }

    /// Reads on without reducing, so that all types that are in the way are named at once.
    private func unreadable(
        from first: UnreadableRecord,
        _ records: [Record],
        _ pages: inout JournalPages,
        _ reader: inout RecordReader
    ) throws(ReplayError) -> ReplayError {
        var found: [ExactText: UnreadableRecord] = [ExactText(first.type): first]
        var records = records.drop { $0.version <= first.version }
        while true {
            for record in records {
                do { _ = try reader.action(of: record) } catch {
                    let type = ExactText(error.type)
                    found[type] = found[type] ?? error
                }
            }
            guard let next = try pages.next() else { break }
            records = next[...]
        }
        return .unreadable(found.values.sorted { $0.version < $1.version })
    }
}

/// Why a state could not be made again.
package enum ReplayError: Error {
    /// Records that no action of today can be made of: the first of each type.
    case unreadable([UnreadableRecord])
    /// The reducer refuses today what it applied when the record was written.
    case diverged(UInt64, String)
    case journal(JournalError)
    /// History begins at this version.
    case gone(oldest: UInt64)
    /// A snapshot of another form of the state's type, before which there is no history.
    case foreignSnapshot(UInt64, String)
    /// The state that history began with was given, and is of another form of the state's type.
    case foreignBeginning(String)
    /// The time was over at this version.
    case tooLong(UInt64)
}
