import StoreCore

/// A snapshot as it lies in the database.
struct StoredSnapshot {
    /// Its version, and the chain's hash there.
    var position: ChainPosition
    var time: Int64
    var form: String
    /// What the state takes before it is compressed, in bytes.
    var size: Int
    /// What the payloads and the meta of all records up to it took, in bytes.
    var bytesTotal: UInt64
    /// The state, compressed with zstd.
    var state: [UInt8]

    /// A hash over all of it.
    var hash: ChainHash {
        var bytes = CanonicalBytes(capacity: state.count + 256)
        bytes.append(position.version)
        position.hash.withBytes { _ = bytes.append($0) }
        bytes.append(time)
        bytes.append(UInt64(size))
        bytes.append(bytesTotal)
        bytes.append(UInt32(truncatingIfNeeded: form.utf8.count))
        bytes.append(form)
        bytes.append(state)
        return bytes.hash
    }
}
