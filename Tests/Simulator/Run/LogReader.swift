import StoreCore
import Wire

/// A client that reads the log of actions.
final class LogReader {
    private let source: EventSource
    /// The newest version that it has received.
    private(set) var version: UInt64
    init(after version: UInt64, socket: CInt) {
        self.version = version
        source = EventSource(socket)
    }

    var isClosed: Bool { source.isClosed }

    /// Takes what has come: each record once, in order, as the journal has it, from the oldest
    /// version that is kept on.
    func take(from oldest: UInt64, _ record: (UInt64) -> Record?) throws(Violation) {
        for event in try source.take() {
            switch event.name {
            case "message":
                // Only what was forgotten is left out.
                let next = max(version + 1, oldest)
                guard event.version == next, let record = record(next) else {
                    throw Violation(.log, "\(event.id) follows version \(version)")
                }
                try compare(event.data, record)
                version = next
            case "caught-up":
                let root = (try? JSONDocument(parsing: event.data, limits: .unbounded))?.root
                let newest = root?.member(named: "version")?.intValue.map { UInt64($0) } ?? 0
                guard newest == version || newest < oldest else {
                    throw Violation(.log, "all up to \(newest) is sent, and \(version) came last")
                }
                version = max(version, newest)
            default: break
            }
        }
    }

    private func compare(_ data: [UInt8], _ record: Record) throws(Violation) {
        let root = (try? JSONDocument(parsing: data, limits: .unbounded))?.root
        guard let root, root.member(named: "version")?.intValue == Int(record.version),
            (root.member(named: "type")?.stringValue).map({ Bytewise($0) })
                == Bytewise(record.type),
            (root.member(named: "payload")?.source).map({ Array($0) }) == record.payload,
            root.member(named: "cause")?.intValue == record.cause.map({ Int($0) }),
            root.member(named: "origin")?.stringValue == record.origin,
            root.member(named: "changed")?.sourceText == "\(record.changed)"
        else {
            throw Violation(.log, "\(Bytewise(data)) stands for version \(record.version)")
        }
    }
}
