package import StoreActionCatalog
package import StoreCore
import StorePlatform
import StoreTexts
import StoreWire
import Synchronization

/// The forms in which each program has written its records, and the ways in which today's program
/// reads these records.
///
/// All readers of one store's records share this object. Any thread may call its functions.
package final class RecordForms: Sendable {
    private struct ProgramCache {
        var journal: (any Journal)?
        /// The forms of programs by number; `nil` for a program that the journal no longer has.
        var formsByNumber: [UInt32: ProgramForms?] = [:]
    }

    package let table: ActionTable
    package let migrations: [Migration]
    /// The forms of today's program, which reads the records.
    package let todaysForms: ProgramForms
    private let migrationsByName: [ExactText: [Migration]]
    private let programCache = Locked(ProgramCache())

    package init(
        _ table: ActionTable,
        _ migrations: [Migration],
        of journal: (any Journal)? = nil
    ) {
        self.table = table
        self.migrations = migrations
        todaysForms = ProgramForms(table, migrations)
        migrationsByName = Dictionary(grouping: migrations) { ExactText($0.name) }
        programCache.withLock { $0.journal = journal }
    }

    /// Sets the journal in which programs are looked up from now on.
    package func setJournal(_ journal: any Journal) {
        programCache.withLock { $0.journal = journal }
    }

    /// Adds programs that were already read from the journal.
    package func add(_ programs: [RegisteredProgram]) {
        let forms = programs.map { ($0.number, ProgramForms($0.program)) }
        programCache.withLock { known in
            for (number, forms) in forms { known.formsByNumber[number] = .some(forms) }
        }
    }

    /// Returns the forms of the program with this number; `nil` if the forms are not known. The
    /// journal is read once for each unknown number.
    package func forms(ofProgram number: UInt32) throws(JournalError) -> ProgramForms? {
        guard number > 0 else { return nil }
        let (found, journal) = programCache.withLock { ($0.formsByNumber[number], $0.journal) }
        if let found { return found }
        guard let journal else { return nil }
        add(try journal.programs())
        return programCache.withLock { known in
            if let found = known.formsByNumber[number] { return found }
            // The journal never uses a number again, so the program of this number stays unknown.
            known.formsByNumber[number] = .some(nil)
            return nil
        }
    }

    /// Returns the reason why a record of this name can't be read: no action and no migration has
    /// the name.
    func reasonForUnknownName(_ name: String) -> String {
        let name = RecordName(name).pattern
        let names = todaysForms.forms.filter { !$0.isOnlyMigrated }.map(\.name)
        let nearest = EditDistance.nearest(to: name, in: names)
        return "no action has this name" + (nearest.map { "; the nearest is \($0)" } ?? "")
    }

    /// Returns the ways to read a record, in the order in which a reader tries them. A later way is
    /// used only if the fields do not fit the earlier ways.
    func readings(of wireName: String, writtenBy program: ProgramForms?) -> [RecordReading] {
        let name = RecordName(wireName)
        // If the exact name has migrations, the migrations for its pattern are not used.
        let migrations =
            migrationsByName[ExactText(wireName)] ?? migrationsByName[ExactText(name.pattern)] ?? []
        let old = migrations.map { RecordReading.migrated($0, name.instanceID) }
        guard let found = table[wireName] else {
            if old.isEmpty, let request = ClientRequest(recorded: wireName) {
                return [.request(request)]
            }
            return readingsWithSameFormFirst(old, program?[name.pattern])
        }
        let currentReading = RecordReading.action(found)
        guard !old.isEmpty, let then = program?[name.pattern] else { return [currentReading] + old }
        let ordered = readingsWithSameFormFirst(old, then)
        let isOlder = (then.migrations ?? 0) < old.count
        if then.form == todaysForms[name.pattern]?.form {
            // The fields have not changed, but their meaning may have changed. So a migration is
            // tried first only if the migration reads exactly this form.
            guard isOlder, let first = ordered.first, first.form == then.form else {
                return [currentReading] + ordered
            }
            return ordered + [currentReading]
        }
        return isOlder ? ordered + [currentReading] : [currentReading] + ordered
    }

    /// Moves the migrations that read the record's form to the front. Among several such
    /// migrations, the migrations that the record's program did not have come first.
    private func readingsWithSameFormFirst(
        _ readings: [RecordReading],
        _ writtenForm: ProgramForms.Form?
    ) -> [RecordReading] {
        guard let writtenForm, let form = writtenForm.form, readings.count > 1 else {
            return readings
        }
        let later =
            readings.dropFirst(writtenForm.migrations ?? 0)
            + readings.prefix(writtenForm.migrations ?? 0)
        return later.filter { $0.form == form } + later.filter { $0.form != form }
    }
}
