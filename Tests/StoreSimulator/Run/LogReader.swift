import StoreCore
import StoreJSON

/// A client that reads the log of actions.
final class LogReader {
    let reading: Reading
    private let source: EventSource
    /// The newest version that the reader has received or skipped.
    private(set) var version: UInt64

    init(after version: UInt64, socket: CInt, as reading: Reading) {
        self.version = version
        self.reading = reading
        source = EventSource(socket, for: reading)
    }

    var isClosed: Bool { source.isClosed }

    /// Reads the events that have come. Each record that the client may read comes once, in order,
    /// as the journal has it. The first is the oldest record that is kept.
    func take(_ log: Log) throws(Violation) {
        for event in try source.take() {
            switch event.name {
            case "message":
                // The log skips forgotten records and records of other sessions.
                guard let record = log.next(after: version, for: reading),
                    event.version == record.version
                else {
                    throw Violation(
                        .log,
                        "\(event.id) follows version \(version) for \(reading.name)"
                    )
                }
                try log.compare(event.data, record)
                version = record.version
            case "caught-up":
                let root = (try? JSONDocument(parsing: event.data, limits: .unbounded))?.root
                let newest = root?.member(named: "version")?.intValue.map { UInt64($0) } ?? 0
                if let missed = log.next(after: version, for: reading), missed.version <= newest {
                    throw Violation(
                        .log,
                        "all up to \(newest) is sent, and \(version) came last, without "
                            + "\(missed.version)"
                    )
                }
                version = max(version, newest)
            default: break
            }
        }
    }
}

/// The records, with their readers.
struct Log {
    let records: [Record]
    let oldest: UInt64
    /// Returns the module of a record; `nil` for the whole state, and for no module.
    let module: (Record) -> String?
    /// Returns the owner of a record; `nil` if it is shared.
    let owner: (Record) -> String?
    /// The readers of records of restricted slices, by version.
    let readers: [UInt64: (Reading) -> Bool]
    /// The version through which states were forgotten, and the readers with them.
    let forgotten: UInt64

    func isVisible(_ record: Record, to reading: Reading) -> Bool {
        if let sight = reading.sight, !(module(record).map { sight.contains($0) } ?? false) {
            return false
        }
        if reading.isOperator { return true }
        if let isReader = readers[record.version] {
            return record.version > forgotten && isReader(reading)
        }
        guard let owner = owner(record) else { return true }
        return owner == reading.name || owner == reading.owner
    }

    /// Returns the next record that a client may read.
    func next(after version: UInt64, for reading: Reading) -> Record? {
        let start = max(version + 1, oldest)
        guard start >= 1, start <= UInt64(records.count) else { return nil }
        return records[Int(start - 1)...].first { isVisible($0, to: reading) }
    }

    /// Throws if JSON does not match a record.
    func compare(_ data: [UInt8], _ record: Record) throws(Violation) {
        let root = (try? JSONDocument(parsing: data, limits: .unbounded))?.root
        guard let root, isSame(root, record) else {
            throw Violation(.log, "\(Bytewise(data)) stands for version \(record.version)")
        }
    }

    private func isSame(_ root: JSONNode, _ record: Record) -> Bool {
        root.member(named: "version")?.intValue == Int(record.version)
            && (root.member(named: "type")?.stringValue).map({ Bytewise($0) })
                == Bytewise(record.type)
            && (root.member(named: "payload")?.source).map({ Array($0) }) == record.payload
            && root.member(named: "cause")?.intValue == record.cause.map({ Int($0) })
            && root.member(named: "origin")?.stringValue == record.origin
            && root.member(named: "changed")?.sourceText == "\(record.changed)"
            && (root.member(named: "forgotten")?.sourceText == "true") == record.isForgotten
    }
}
