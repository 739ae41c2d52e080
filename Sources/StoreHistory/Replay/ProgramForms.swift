package import StoreActionCatalog
package import StoreCore
import StoreDigest
import StoreJSON
import StoreJSONSchema
import StoreTexts

/// The wire names of a program's actions, with the form of each action. The forms decide how the
/// program's records are read.
package struct ProgramForms: Sendable {
    /// A wire name with the form of its payload. All instances of a module share a name, with
    /// `{id}` in place of the id: `boards/{id}/cardAdded`.
    package struct Form: Codable, Equatable, Sendable {
        package let name: String
        /// The payload's form, as ``PayloadText`` writes it; `nil` if the form is not known. No
        /// form is known for a record that was written before journals stored programs.
        package var form: String?
        /// The number of migrations that the program had for this name. Two programs with the same
        /// number of migrations read the name's records in the same way; an older program has fewer
        /// migrations.
        package var migrations: Int?

        /// True if the program had no action of this name, and read the name's records by
        /// migrations.
        package var isOnlyMigrated: Bool { form == nil && migrations != nil }
    }

    package let forms: [Form]
    private let indicesByName: [ExactText: Int]

    private init(_ all: [Form]) {
        self.forms = all
        indicesByName = Dictionary(all.indices.map { (ExactText(all[$0].name), $0) }) { first, _ in
            first
        }
    }

    /// Makes the forms of today's program, followed by the names that only migrations read. The
    /// initializer is slow, because it derives the schemas of all types of actions.
    package init(_ table: ActionTable, _ migrations: [Migration]) {
        let forms = table.entries.map(\.signature)
        var counts: [ExactText: Int] = [:]
        for migration in migrations { counts[ExactText(migration.name), default: 0] += 1 }
        var all = zip(forms, PayloadText.texts(of: forms)).map { form, text in
            let count = counts.removeValue(forKey: ExactText(form.name))
            return Form(name: form.name, form: text, migrations: count)
        }
        for migration in migrations {
            if let count = counts.removeValue(forKey: ExactText(migration.name)) {
                all.append(Form(name: migration.name, form: nil, migrations: count))
            }
        }
        self.init(all)
    }

    /// Decodes the forms of a program in a journal; `nil` if the forms can't be decoded.
    package init?(_ program: ProgramDescription) {
        guard
            let all = try? JSONDecoder(limits: .unbounded).decode([Form].self, from: program.forms)
        else { return nil }
        self.init(all)
    }

    package init(names: [String]) { self.init(names.map { Form(name: $0) }) }

    /// The form of a wire name; `nil` if the program has no action of this name.
    package subscript(name: String) -> Form? { indicesByName[ExactText(name)].map { forms[$0] } }

    /// The forms, encoded for a journal.
    package var programDescription: ProgramDescription {
        let bytes = (try? JSONEncoder().encode(forms)) ?? []
        return ProgramDescription(
            digest: bytes.withUnsafeBytes { SHA256.hexDigest($0) },
            forms: bytes
        )
    }
}

/// A record's wire name, split into the instance's id and the pattern that all instances share.
package struct RecordName {
    /// The name, with `{id}` in place of an instance's id.
    package let pattern: String
    /// The instance's id; `nil` if the name has no id.
    package let instanceID: String?

    /// Splits a name such as `boards/7/cardAdded`. A name with fewer than two slashes has no
    /// instance. The name of a ``ClientRequest``, such as `usecases/login/login`, has none either.
    package init(_ name: String) {
        let slash = UInt8(ascii: "/")
        let bytes = name.utf8
        guard let first = bytes.firstIndex(of: slash), let last = bytes.lastIndex(of: slash),
            first < last, bytes.index(after: first) < last, ClientRequest(recorded: name) == nil
        else {
            (pattern, instanceID) = (name, nil)
            return
        }
        instanceID = String(name[bytes.index(after: first)..<last])
        pattern = name[...first] + "{id}" + name[last...]
    }
}
