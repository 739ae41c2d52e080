import StoreCore
import StoreJSON
import StoreTelemetry

@testable import StoreActionCatalog
@testable import StoreHistory

/// A history and the programs that take it in turn. The next program is another edition, newer or
/// older. The end before it is a crash, or a clean stop with a snapshot of all records.
///
/// A program that can read all records starts with the right state and can make each version again.
/// Any other program is refused, and leaves the history as it was.
struct EditionSimulation {
    /// The largest number of actions between two starts.
    private static let actionsMax = 12

    private let journal = MemoryJournal(
        retention: Retention(secondsMax: nil, bytesMax: nil, recordsMax: nil)
    )
    private var chance: Chance
    private var states = [EditionState()]
    /// The forms of the records so far.
    private var written: Set<Edition.Form> = []
    private(set) var refusals = 0
    private(set) var starts = 0

    init(seed: UInt64) {
        chance = Chance(seed: seed)
    }

    /// - Throws: ``Violation`` if a property does not hold.
    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step(Edition.all[chance.below(Edition.all.count)]) }
    }

    private mutating func step(_ edition: Edition) throws {
        let registry: ActionRegistry<EditionState>
        let history: RecoveredHistory<EditionState>
        let isReadable = written.isSubset(of: edition.readable)
        do {
            registry = try ActionRegistry(edition.actions)
            history = try RecoveredHistory(
                of: StoreHistory.Program(
                    state: EditionState(),
                    migrations: edition.migrations,
                    reducer: Edition.reduce
                ),
                in: journal,
                registry: registry,
                encoder: JSONEncoder(),
                logger: .standardError
            )
        } catch {
            refusals += 1
            guard isReadable else { return try refused(edition, error) }
            throw Violation(.restart, "edition '\(edition.name)' does not start: \(error)")
        }
        guard isReadable else {
            throw Violation(.restart, "edition '\(edition.name)' starts on what it can't read")
        }
        starts += 1
        try check(history, edition)
        try append(edition, registry, by: history.programNumber)
        if chance.happens(1, in: 2) { try stop() }
    }

    /// Verifies that a refused program names the unreadable form, and that the history has not
    /// changed.
    private func refused(_ edition: Edition, _ error: any Error) throws {
        let missing = written.subtracting(edition.readable).map(\.name)
        guard missing.allSatisfy("\(error)".contains), Int(journal.version) + 1 == states.count
        else {
            throw Violation(.restart, "'\(edition.name)' is refused without \(missing): \(error)")
        }
    }

    private mutating func check(
        _ history: RecoveredHistory<EditionState>,
        _ edition: Edition
    ) throws {
        guard history.state == states[states.count - 1] else {
            throw Violation(
                .restart,
                "edition '\(edition.name)' begins with \(history.state) in place of "
                    + "\(states[states.count - 1])"
            )
        }
        let version = chance.below(states.count)
        let made: EditionState
        do { made = try history.replay.state(at: UInt64(version)) } catch {
            throw Violation(.replay, "'\(edition.name)' can't make version \(version): \(error)")
        }
        guard made == states[version] else {
            throw Violation(.replay, "'\(edition.name)' makes version \(version) to \(made)")
        }
    }

    /// Appends actions of clients until the program ends.
    private mutating func append(
        _ edition: Edition,
        _ registry: ActionRegistry<EditionState>,
        by program: UInt32
    ) throws {
        for _ in 0..<chance.below(Self.actionsMax) {
            let made = chance.pick(edition.makes)
            let action = made.make(1 + chance.below(9))
            var state = states[states.count - 1]
            try Edition.reduce(&state, action, nil, ReducerContextSource(version: 0))
            let member = try registry.member(of: action, JSONEncoder())
            let record = Record(
                version: journal.version + 1,
                time: 0,
                type: member.type,
                payload: member.payload,
                changed: true,
                program: program
            )
            try journal.append(JournalBatch(records: [record]), at: journal.version)
            states.append(state)
            written.insert(made.form)
        }
    }

    /// Keeps the newest state, as a clean stop does: the next start needs no record.
    private func stop() throws {
        try journal.save(
            StateSnapshot(
                version: journal.version,
                time: 0,
                state: JSONEncoder().encode(states[states.count - 1]),
                form: RecoveredHistory<EditionState>.stateFormDigest
            )
        )
    }
}

extension Simulator {
    /// Runs one history through starts of several editions of a program.
    ///
    /// - Returns: the failure, and the numbers of refused starts and of successful starts.
    package static func runEditions(
        seed: UInt64,
        steps: Int
    ) -> (failure: String?, refusals: Int, starts: Int) {
        var simulation = EditionSimulation(seed: seed)
        do {
            try simulation.run(steps: steps)
            return (nil, simulation.refusals, simulation.starts)
        } catch {
            return ("seed \(seed): \(error)", simulation.refusals, simulation.starts)
        }
    }
}
