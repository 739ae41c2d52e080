import StoreCore

/// A snapshot as it is stored in the database.
struct StoredSnapshot {
    /// The version of the snapshot, and the chain's hash at it.
    var position: ChainPosition
    var time: Int64
    var form: String
    /// The size of the state before compression, in bytes.
    var size: Int
    /// The bytes of payload and meta of all records up to the snapshot.
    var bytesTotal: UInt64
    /// The state, compressed with zstd.
    var state: [UInt8]

    /// The hash of all fields.
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
