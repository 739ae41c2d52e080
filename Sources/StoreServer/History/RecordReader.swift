import StoreCore
import Wire

/// Reads journaled records as the actions of today.
///
/// One thread at a time may use it.
struct RecordReader<State> {
    private let registry: ActionRegistry<State>
    private let migrations: [ExactText: Migration]
    private let decoder = JSONDecoder(limits: .unbounded)
    /// Actions without fields, which are all alike.
    private var bare: [ExactText: (any Action)?] = [:]

    init(_ registry: ActionRegistry<State>, _ migrations: [Migration]) {
        self.registry = registry
        self.migrations = Dictionary(migrations.map { (ExactText($0.name), $0) }) { first, _ in
            first
        }
    }

    /// The action of a record; `nil` where a migration says that it means nothing any more.
    ///
    /// - Throws: why it can't be read.
    mutating func action(of record: Record) throws(UnreadableRecord) -> (any Action)? {
        let isBare = record.payload.count == 2
        if isBare, let known = bare[ExactText(record.type)] { return known }
        let action = try read(record)
        if isBare { bare[ExactText(record.type)] = .some(action) }
        return action
    }

    private func read(_ record: Record) throws(UnreadableRecord) -> (any Action)? {
        do throws(JSONError) {
            let payload = try JSONDocument(parsing: record.payload, limits: .unbounded).root
            if let migration = migrations[ExactText(record.type)] {
                return try migration.read(payload, decoder)
            }
            if let entry = registry[record.type] {
                return try entry.decode(payload, decoder)
            }
            if let request = ClientRequest(recorded: record.type) { return request }
        } catch {
            throw UnreadableRecord(record, because: "its fields don't fit: \(error.message)")
        }
        throw UnreadableRecord(record, because: "no action has this name")
    }
}

/// A record that the program of today can't make an action of.
struct UnreadableRecord: Error {
    let type: String
    let version: UInt64
    let reason: String

    init(_ record: Record, because reason: String) {
        type = record.type
        version = record.version
        self.reason = reason
    }
}
