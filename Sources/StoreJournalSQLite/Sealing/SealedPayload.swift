import StoreCore

/// The stored form of a record with sealed values, in the place of the record's payload.
///
/// The form begins with the byte 1, with which no JSON begins. The id of the key file and the
/// length of the public JSON follow. The public JSON has `null` in the place of each sealed member.
/// The sealed values follow the JSON.
package struct SealedPayload {
    static let leadingByte: UInt8 = 1
    static let headBytes = 13

    /// The use of a sealed value in the record.
    enum Use: UInt8 {
        case member = 0
        case meta = 1
        case origin = 2
    }

    /// A sealed value, with its position in the stored form.
    struct Value {
        let use: Use
        /// For a member, the offset of its `null` in the public JSON.
        let offset: Int
        let keySlot: UInt32
        let sealedRange: Range<Int>
    }

    let bytes: [UInt8]
    let keyFileID: UInt64
    private let jsonRange: Range<Int>

    /// Reads the head of the form; returns `nil` for a payload of another form.
    package init?(_ payload: [UInt8]) {
        guard payload.count >= Self.headBytes, payload[0] == Self.leadingByte else { return nil }
        bytes = payload
        let (id, count) = payload.withUnsafeBytes {
            (
                $0.loadUnaligned(fromByteOffset: 1, as: UInt64.self),
                $0.loadUnaligned(fromByteOffset: 9, as: UInt32.self)
            )
        }
        keyFileID = UInt64(littleEndian: id)
        let end = Self.headBytes + Int(UInt32(littleEndian: count))
        guard end <= payload.count else { return nil }
        jsonRange = Self.headBytes..<end
    }

    /// Joins the public JSON and the sealed values of an exported line.
    package init?(json: [UInt8], sealedValues: [UInt8]) {
        guard sealedValues.count >= 8, let count = UInt32(exactly: json.count) else { return nil }
        var bytes = [Self.leadingByte] + sealedValues.prefix(8)
        withUnsafeBytes(of: count.littleEndian) { bytes += Array($0) }
        self.init(bytes + json + sealedValues.dropFirst(8))
    }

    /// The JSON with `null` in the place of each sealed member.
    package var json: [UInt8] { Array(bytes[jsonRange]) }

    /// The id of the key file and the sealed values, for an export.
    package var sealedValues: [UInt8] { Array(bytes[1..<9] + bytes[jsonRange.upperBound...]) }

    /// The whole stored form.
    package var payload: [UInt8] { bytes }

    /// Returns the sealed values in their order; `nil` if the bytes are not a list of sealed
    /// values.
    func values() -> [Value]? {
        var values: [Value] = []
        var place = jsonRange.upperBound
        while place < bytes.count {
            guard place + 13 <= bytes.count, let use = Use(rawValue: bytes[place]) else {
                return nil
            }
            let (offset, slot, count) = (
                number(at: place + 1), number(at: place + 5), number(at: place + 9)
            )
            let start = place + 13
            guard Int(count) <= bytes.count - start else { return nil }
            if use == .member, Int(offset) + 4 > jsonRange.count { return nil }
            let range = start..<(start + Int(count))
            values.append(Value(use: use, offset: Int(offset), keySlot: slot, sealedRange: range))
            place = range.upperBound
        }
        return values
    }

    private func number(at place: Int) -> UInt32 {
        let number = bytes.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        }
        return UInt32(littleEndian: number)
    }

    /// Makes the form from its parts. Each value has its use, its offset, its slot and its bytes.
    static func make(
        keyFileID: UInt64,
        json: [UInt8],
        values: [(use: Use, offset: Int, slot: UInt32, sealed: [UInt8])]
    ) -> [UInt8] {
        var bytes: [UInt8] = [leadingByte]
        bytes.reserveCapacity(
            headBytes + json.count + values.reduce(0) { $0 + 13 + $1.sealed.count }
        )
        func append<Number: FixedWidthInteger>(_ number: Number) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(keyFileID)
        append(UInt32(truncatingIfNeeded: json.count))
        bytes += json
        for value in values {
            bytes.append(value.use.rawValue)
            append(UInt32(truncatingIfNeeded: value.offset))
            append(value.slot)
            append(UInt32(truncatingIfNeeded: value.sealed.count))
            bytes += value.sealed
        }
        return bytes
    }
}
