import StoreCore
import StoreEventStream
import StoreWire

extension LogPiece {
    /// Encodes records as server-sent events (protocol 5.2): at least one, and without a gap. If
    /// `earlier` is not `nil`, its frames come first; it has to end directly before the records.
    convenience init(
        _ records: ArraySlice<Record>,
        epoch: Epoch,
        owners: RecordOwners,
        behind earlier: LogPiece? = nil
    ) {
        var output = JSONOutput(capacity: 64 << 10)
        var ends = earlier?.ends ?? []
        ends.reserveCapacity(ends.count + records.count)
        earlier?.bytes.withUnsafeBytes { output.raw($0) }
        let epochText = epoch.description
        var readable: [RecordOwner] = earlier?.owners ?? []
        for record in records {
            output.raw("id: ")
            output.raw(epochText.utf8)
            output.raw(":")
            output.integer(record.version)
            output.raw("\ndata: ")
            output.record(record)
            output.raw("\n\n")
            ends.append(output.count)
            if owners.differ { readable.append(owners.owner(of: record)) }
        }
        let written = output.bytes
        self.init(
            first: earlier?.first ?? records.first?.version ?? 0,
            bytes: Bytes(count: written.count) { $0.copyMemory(from: written) },
            ends: ends,
            owners: readable
        )
    }
}
