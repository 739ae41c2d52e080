import StoreCore

/// The fields of an outcome, as pointers into memory that the caller owns.
struct OutcomeFields {
    var key: UnsafeRawBufferPointer
    /// Empty if the sender is unknown, else "=" and the name.
    var principal: UnsafeRawBufferPointer
    var fingerprint: UnsafeRawBufferPointer
}

extension CanonicalBytes {
    /// Replaces the bytes with the form of an outcome. Returns pointers to its fields.
    mutating func put(_ outcome: KeptOutcome) -> OutcomeFields {
        clear()
        append(outcome.first)
        append(outcome.last)
        append(outcome.time)
        append(UInt8(outcome.changed ? 1 : 0))
        append(UInt32(truncatingIfNeeded: outcome.key.key.utf8.count))
        append(UInt32(truncatingIfNeeded: outcome.key.principal.map { $0.utf8.count + 1 } ?? 0))
        let key = append(outcome.key.key)
        let principal = put(outcome.key.principal)
        let fingerprint = append(outcome.fingerprint)
        return OutcomeFields(
            key: bytes(key),
            principal: bytes(principal),
            fingerprint: bytes(fingerprint)
        )
    }

    /// Replaces the bytes with a key, to look it up. Returns pointers to its fields.
    mutating func put(_ key: IdempotencyKey) -> OutcomeFields {
        clear()
        let name = append(key.key)
        let principal = put(key.principal)
        return OutcomeFields(
            key: bytes(name),
            principal: bytes(principal),
            fingerprint: UnsafeRawBufferPointer(start: nil, count: 0)
        )
    }

    /// The checksum of an outcome: the first 64 bits of the hash.
    var sum: Int64 { Int64(bitPattern: hash.prefix) }

    private mutating func put(_ principal: String?) -> Range<Int> {
        let start = count
        if let principal {
            append(UInt8(ascii: "="))
            append(principal)
        }
        return start..<count
    }
}
