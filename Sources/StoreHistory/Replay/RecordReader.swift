import Glibc
package import StoreActionCatalog
package import StoreCore
import StoreWire

/// Reads journaled records as the actions of today.
///
/// One thread at a time may use it.
package struct RecordReader {
    private static let placesCount = 256

    private let table: ActionTable
    private let migrations: [ExactText: Migration]
    private let decoder = JSONDecoder(limits: .unbounded)
    /// Each place has the name that came last of those that belong there.
    private var places: [RecordedType?] = Array(repeating: nil, count: placesCount)
    /// That of the record before.
    private var last: RecordedType?

    package init(_ table: ActionTable, _ migrations: [Migration]) {
        self.table = table
        self.migrations = Dictionary(migrations.map { (ExactText($0.name), $0) }) { first, _ in
            first
        }
    }

    /// The action of a record; `nil` where a migration gives it up.
    ///
    /// - Throws: why it can't be read.
    package mutating func action(of record: Record) throws(UnreadableRecord) -> (any Action)? {
        var type = record.type
        return try type.withUTF8 { type in
            record.payload.withUnsafeBytes { payload in
                let view = RecordView(
                    version: record.version,
                    type: UnsafeRawBufferPointer(type),
                    payload: payload
                )
                return Result { () throws(UnreadableRecord) in try action(of: view) }
            }
        }.get()
    }

    /// The same of a record that is not copied.
    package mutating func action(of record: RecordView) throws(UnreadableRecord) -> (any Action)? {
        let type: RecordedType
        if let last, last.has(record.type) {
            type = last
        } else {
            type = self.type(of: record.type)
            last = type
        }
        if record.payload.count == 2, type.isReadBare {
            return type.isBareNothing ? nil : type.bare
        }
        do throws(JSONError) {
            return try type.read(record.payload, decoder)
        } catch {
            let reason =
                type.isKnown
                ? "its fields don't fit: \(error.messageForOperators)" : "no action has this name"
            throw UnreadableRecord(type.name, record.version, because: reason)
        }
    }

    private mutating func type(of name: UnsafeRawBufferPointer) -> RecordedType {
        let place = Self.place(of: name)
        if let known = places[place], known.has(name) { return known }
        let type = RecordedType(name, table, migrations, decoder)
        places[place] = type
        return type
    }

    /// FNV-1a over the length and the last bytes, where names differ most.
    private static func place(of name: UnsafeRawBufferPointer) -> Int {
        var hash = 0x811C_9DC5 ^ UInt32(truncatingIfNeeded: name.count)
        for byte in name.suffix(8) { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int((hash ^ hash >> 16) % UInt32(placesCount))
    }
}

/// What the records of one wire name are today.
private final class RecordedType {
    private enum Meaning {
        case migrated(Migration)
        case action(FoundAction)
        case request(ClientRequest)
        case unknown
    }

    let name: String
    private let bytes: [UInt8]
    private let meaning: Meaning
    /// Whether a record of this name needs no fields: all that have none are alike.
    let isReadBare: Bool
    /// What they are, then.
    let bare: any Action
    /// Whether they mean nothing any more.
    let isBareNothing: Bool

    init(
        _ name: UnsafeRawBufferPointer,
        _ table: ActionTable,
        _ migrations: [ExactText: Migration],
        _ decoder: JSONDecoder
    ) {
        self.name = String(decoding: name, as: UTF8.self)
        bytes = Array(name)
        if let migration = migrations[ExactText(self.name)] {
            meaning = .migrated(migration)
        } else if let found = table[self.name] {
            meaning = .action(found)
        } else if let request = ClientRequest(recorded: self.name) {
            meaning = .request(request)
        } else {
            meaning = .unknown
        }
        let empty = RegisteredType.emptyObject
        do {
            let read = try empty.withUnsafeBytes { [meaning] in
                try Self.read($0, meaning, decoder)
            }
            (bare, isBareNothing, isReadBare) = (read ?? NoAction(), read == nil, true)
        } catch {
            (bare, isBareNothing, isReadBare) = (NoAction(), true, false)
        }
    }

    var isKnown: Bool {
        if case .unknown = meaning { return false }
        return true
    }

    func has(_ name: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == name.count, let name = name.baseAddress else { return false }
        return bytes.withUnsafeBytes { $0.baseAddress.map { memcmp($0, name, bytes.count) == 0 } }
            ?? false
    }

    func read(
        _ payload: UnsafeRawBufferPointer,
        _ decoder: JSONDecoder
    ) throws(JSONError) -> (any Action)? {
        try Self.read(payload, meaning, decoder)
    }

    private static func read(
        _ payload: UnsafeRawBufferPointer,
        _ meaning: Meaning,
        _ decoder: JSONDecoder
    ) throws(JSONError) -> (any Action)? {
        let fields = try JSONDocument(parsing: payload, limits: .unbounded).root
        switch meaning {
        case .migrated(let migration): return try migration.read(fields, decoder)
        case .action(let found): return try found.decode(fields, decoder)
        case .request(let request): return request
        case .unknown: throw JSONError(code: .invalid, pointer: "", message: "no such action")
        }
    }
}

/// Stands where there is no action.
private struct NoAction: Action {}

/// A record that the program of today can't make an action of.
package struct UnreadableRecord: Error {
    package let type: String
    package let version: UInt64
    package let reason: String

    package init(_ type: String, _ version: UInt64, because reason: String) {
        self.type = type
        self.version = version
        self.reason = reason
    }
}
