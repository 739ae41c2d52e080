import Glibc
import StoreActionCatalog
import StoreCore
import StoreJSON

/// A way to make an action from a record's fields.
enum RecordReading {
    /// The fields are decoded as today's action of the record's name.
    case action(FoundAction)
    /// A migration reads the fields. The text is the instance's id; `nil` if the name has no id.
    case migrated(Migration, String?)
    case request(ClientRequest)

    /// The form of the fields that the migration reads; `nil` if this way is no migration.
    var form: String? {
        guard case .migrated(let migration, _) = self else { return nil }
        return migration.form
    }

    func read(
        _ fields: JSONNode,
        _ table: ActionTable,
        _ decoder: JSONDecoder
    ) throws(JSONError) -> (any Action)? {
        switch self {
        case .action(let found): return try found.decode(fields, decoder)
        case .request(let request): return request
        case .migrated(let migration, let instance):
            let action = try migration.translate(fields, instance ?? "", decoder)
            guard let instance, let action else { return action }
            return table.addressed(action, to: instance)
        }
    }
}

/// The ways to read the records that one program wrote under one wire name.
final class RecordedType: Sendable {
    let name: String
    private let nameBytes: [UInt8]
    private let program: UInt32
    private let table: ActionTable
    /// The ways to read the records, in the order in which they are tried. The list is empty if no
    /// action and no migration has the name.
    private let readings: [RecordReading]
    /// True if a record without fields can be read. All records without fields give the same
    /// action.
    let canReadWithoutFields: Bool
    /// The action of a record without fields.
    let actionWithoutFields: any Action
    /// True if a record without fields is dropped by a migration, or can't be read.
    let dropsWithoutFields: Bool

    init(
        _ name: UnsafeRawBufferPointer,
        writtenBy program: UInt32,
        _ forms: RecordForms,
        _ decoder: JSONDecoder
    ) throws(JournalError) {
        self.name = String(decoding: name, as: UTF8.self)
        self.program = program
        nameBytes = Array(name)
        table = forms.table
        readings = forms.readings(of: self.name, writtenBy: try forms.forms(ofProgram: program))
        let (readings, table) = (readings, table)
        do throws(JSONError) {
            let read = try RegisteredType.emptyObject.withUnsafeBufferPointer {
                (bytes) throws(JSONError) in
                try Self.read(UnsafeRawBufferPointer(bytes), readings, table, decoder)
            }
            (actionWithoutFields, dropsWithoutFields, canReadWithoutFields) = (
                read ?? NoAction(), read == nil, true
            )
        } catch {
            (actionWithoutFields, dropsWithoutFields, canReadWithoutFields) = (
                NoAction(), true, false
            )
        }
    }

    var hasReadings: Bool { !readings.isEmpty }

    func matches(_ name: UnsafeRawBufferPointer, _ program: UInt32) -> Bool {
        guard self.program == program, nameBytes.count == name.count, let name = name.baseAddress
        else {
            return false
        }
        return nameBytes.withUnsafeBytes {
            $0.baseAddress.map { memcmp($0, name, nameBytes.count) == 0 }
        }
            ?? false
    }

    func read(
        _ payload: UnsafeRawBufferPointer,
        _ decoder: JSONDecoder
    ) throws(JSONError) -> (any Action)? {
        try Self.read(payload, readings, table, decoder)
    }

    /// Returns the action of the first reading that the fields fit. If the fields fit no reading,
    /// throws the error of the first reading.
    private static func read(
        _ payload: UnsafeRawBufferPointer,
        _ readings: [RecordReading],
        _ table: ActionTable,
        _ decoder: JSONDecoder
    ) throws(JSONError) -> (any Action)? {
        let fields = try JSONDocument(parsing: payload, limits: .unbounded).root
        var misfit: JSONError?
        for reading in readings {
            do throws(JSONError) {
                return try reading.read(fields, table, decoder)
            } catch {
                misfit = misfit ?? error
            }
        }
        throw misfit ?? JSONError(code: .invalid, pointer: "", message: "no such action")
    }
}

private struct NoAction: Action {}
