package import StoreCore
package import StorePlatform
import StoreWire

/// The replay of a history: makes the state of a version from a snapshot and the actions after it.
///
/// The next page of the journal is read while the records of the last one are reduced.
package struct Replay<State: Codable & Sendable>: Sendable {
    package let initial: State
    /// The forms with which records are read.
    package let forms: RecordForms
    package let reducer: StateReducer<State>
    /// Fills in the copies of shared values in the slices of the modules that read them. Snapshots
    /// lack the copies in the slices that sessions begin with.
    package let connect: @Sendable (inout State) -> Void
    package let journal: any Journal
    /// The identity of the state type's form: the SHA-256 of its JSON Schema.
    package let form: String

    /// Reduces every record after `start` up to `end`. Calls `each` with the state after each
    /// record. The replay ends early if `each` returns `false`.
    ///
    /// - Throws: ``ReplayError``, also if the deadline has passed.
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

    /// Reads the remaining records without reducing, so that the error names all unreadable types
    /// at once.
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

/// The reason why a state could not be made again.
package enum ReplayError: Error {
    /// The records that no action of today can read: the first of each type.
    case unreadable([UnreadableRecord])
    /// The reducer refuses an action today that it applied when the record was written.
    case diverged(UInt64, String)
    case journal(JournalError)
    /// History begins at this version.
    case gone(oldest: UInt64)
    /// The oldest usable snapshot has another form of the state's type, and the records before it
    /// are gone.
    case foreignSnapshot(UInt64, String)
    /// History began with a given state, which has another form of the state's type.
    case foreignBeginning(String)
    /// The time was over at this version.
    case tooLong(UInt64)
}
