import StoreActionCatalog
import StoreCommandLine
import StoreCore
import StoreHistory
import StoreJSON
import StoreJournalSQLite
import StoreTelemetry

/// Makes the state while the journal is opened, from the records that the journal checks. Each
/// record is therefore read and hashed once.
///
/// The replay serves the usual case: the newest snapshot has the form of today's state, and every
/// later record can be read and reduced. In all other cases it has no state. Then ``Replay`` makes
/// the state, or throws the reason.
package final class OpeningReplay<State: Codable & Equatable & Sendable>: HistoryFollower {
    /// The form of the state's type: the SHA-256 of its JSON Schema.
    let form = RecoveredHistory<State>.form
    private let connect: @Sendable (inout State) -> Void
    private var steps: ReplaySteps<State>
    private var base: Replay<State>.Base?
    private let forms: RecordForms
    private let progress: ReplayProgress?

    init(
        of program: Program<State>,
        _ registry: ActionRegistry<State>,
        showing progress: ReplayProgress? = nil
    ) {
        connect = program.connect
        forms = RecordForms(registry.table, program.migrations)
        self.progress = progress
        steps = ReplaySteps(
            reader: RecordReader(forms),
            reducer: program.reducer,
            counter: ProgressCounter(nil, "", after: 0, through: 0)
        )
    }

    /// The state of the newest version, if the replay has made it.
    var made: ReplayedState<State> {
        ReplayedState(form: form, forms: forms) { [self] in base?.version == $0 ? base?.state : nil
        }
    }

    func begins(
        with snapshot: StateSnapshot,
        newest: UInt64,
        writtenBy programs: [RegisteredProgram]
    ) -> Bool {
        guard GivenState.isForm(snapshot.form, form),
            var state = try? JSONDecoder(limits: .unbounded).decode(
                State.self,
                from: snapshot.state
            )
        else { return false }
        connect(&state)
        forms.add(programs)
        steps.counter = ProgressCounter(
            progress,
            "replayed",
            after: snapshot.version,
            through: newest
        )
        base = Replay.Base(state: state, version: snapshot.version)
        return true
    }

    func follow(_ page: borrowing RecordPage) -> Bool {
        guard var made = base else { return false }
        base = nil
        do {
            try steps.run(page, &made.state)
        } catch {
            steps.counter.finish()
            return false
        }
        base = Replay.Base(state: made.state, version: made.version + UInt64(page.count))
        return true
    }

    func forget() {
        base = nil
    }
}

/// The work for each record of a page.
private struct ReplaySteps<State> {
    var reader: RecordReader
    let reducer: StateReducer<State>
    var counter: ProgressCounter

    mutating func run(_ page: borrowing RecordPage, _ state: inout State) throws {
        for index in 0..<page.count {
            let record = page.record(at: index)
            if let action = try reader.action(of: record) {
                let session = record.session.map { String(decoding: $0, as: UTF8.self) }
                try reducer(&state, action, record.version, session)
            }
            counter.reached(record.version)
        }
    }
}

// Progress

extension ReplayProgress {
    /// Writes lines to the log.
    init(to logger: Logger) {
        self.init { logger.notice(.replayProgress, $0.text) }
    }

    /// Makes the progress display of a command: a bar if standard error is a terminal, else lines
    /// in the log.
    static func ofCommand(_ logger: Logger) -> ReplayProgress {
        guard TerminalBar.isThere else { return ReplayProgress(to: logger) }
        return ReplayProgress(intervals: (first: 0.3, others: 0.1)) {
            TerminalBar.show($0.share, $0.text)
        } end: {
            TerminalBar.clear()
        }
    }
}
