import EventStream
import StoreCore
import Wire

extension LogPiece {
    /// Records as server-sent events, each a chunk of its own (protocol 5.2).
    ///
    /// - Parameters:
    ///   - records: without a hole, and at least one.
    ///   - earlier: a piece that ends where they begin, to which they are added.
    convenience init(
        _ records: ArraySlice<Record>,
        epoch: Epoch,
        behind earlier: LogPiece? = nil
    ) {
        var output = JSONOutput(capacity: 64 << 10)
        var event = JSONOutput(capacity: 1 << 10)
        var ends = earlier?.ends ?? []
        ends.reserveCapacity(ends.count + records.count)
        earlier?.bytes.withUnsafeBytes { output.raw($0) }
        let epochText = epoch.description
        for record in records {
            event.truncate()
            event.raw("id: ")
            event.raw(epochText.utf8)
            event.raw(":")
            event.integer(record.version)
            event.raw("\ndata: ")
            event.record(record)
            event.raw("\n\n")
            output.raw(String(event.count, radix: 16).utf8)
            output.raw("\r\n")
            output.raw(event.bytes)
            output.raw("\r\n")
            ends.append(output.count)
        }
        let written = output.bytes
        self.init(
            first: earlier?.first ?? records.first?.version ?? 0,
            bytes: Bytes(count: written.count) { $0.copyMemory(from: written) },
            ends: ends
        )
    }
}
