import StoreActionCatalog
import StoreCommandLine
import StoreCore
import StoreHistory
import StoreJournalSQLite
import StoreTelemetry

/// A replay of the records that the journal checks while it is opened. Each record is therefore
/// read and hashed only once.
///
/// This replay makes the state if the newest snapshot has the form of today's state, and every
/// later record can be read and reduced. In all other cases this replay makes no state. ``Replay``
/// then makes the state, or throws the reason.
package final class OpeningReplay<State: Codable & Equatable & Sendable>: HistoryFollower {
    /// The form of the state's type: the SHA-256 of its JSON Schema.
    let stateFormDigest = RecoveredHistory<State>.stateFormDigest
    private let program: Program<State>
    private let forms: RecordForms
    private let progress: ReplayReporter?
    /// The newest state so far, and the replay that continues from this state.
    private var currentReplay: (base: Replay<State>.Base, records: RecordReplay)?

    init(
        of program: Program<State>,
        _ registry: ActionRegistry<State>,
        showing progress: ReplayReporter? = nil
    ) {
        self.program = program
        self.progress = progress
        forms = RecordForms(registry.table, program.migrations)
    }

    /// The result of this replay, with the state of the newest version if the replay has made the
    /// state.
    var replayedState: ReplayedState<State> {
        ReplayedState(stateFormDigest: stateFormDigest, forms: forms) { [self] version in
            currentReplay.flatMap { $0.base.version == version ? $0.base.state : nil }
        }
    }

    func begin(
        with snapshot: StateSnapshot,
        newest: UInt64,
        writtenBy programs: [RegisteredProgram]
    ) -> Bool {
        guard GivenState.matchesForm(snapshot.formID, stateFormDigest),
            let state = try? program.state(in: snapshot)
        else { return false }
        forms.add(programs)
        let start = snapshot.version
        let records = RecordReplay(
            RecordReader(forms),
            ProgressCounter(progress, "replayed", after: start, through: newest)
        )
        currentReplay = (Replay.Base(state: state, version: start), records)
        return true
    }

    func follow(_ page: borrowing RecordPage) -> Bool {
        guard var (base, records) = currentReplay else { return false }
        // With a single reference to the state, the reducer does not copy the containers in the
        // state.
        currentReplay = nil
        // Read the reducer once, because each access to `program.reducer` looks up its generic
        // type.
        let reducer = program.reducer
        do {
            for index in 0..<page.count {
                let record = page.record(at: index)
                try records.reduce(record) { try reducer(&base.state, $0, $1, $2) }
            }
        } catch {
            records.finish()
            return false
        }
        base.version += UInt64(page.count)
        currentReplay = (base, records)
        return true
    }

    func discardResult() { currentReplay = nil }
}

// Progress

extension ReplayReporter {
    init(to logger: Logger) {
        self.init { logger.info(.replayProgress, $0.text) }
    }

    /// Makes the progress display of a command: a bar if standard error is a terminal, or else
    /// lines in the log.
    static func ofCommand(_ logger: Logger) -> ReplayReporter {
        guard ProgressBar.isAvailable else { return ReplayReporter(to: logger) }
        return ReplayReporter(intervalSeconds: (first: 0.3, later: 0.1)) {
            ProgressBar.show($0.fractionDone, $0.text)
        } end: {
            ProgressBar.clear()
        }
    }
}
