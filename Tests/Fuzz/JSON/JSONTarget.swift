import Foundation
import StoreJSON

/// The codec: it never crashes, and accepts no text that other parsers refuse.
struct JSONTarget: FuzzTarget {
    func run(_ bytes: UnsafeRawBufferPointer) {
        // The depth is small, because `Anything` tries each of its forms at each level.
        let decoder = StoreJSON.JSONDecoder(limits: JSONLimits(bytesMax: 4096, depthMax: 8))
        do {
            let value = try decoder.decode(Anything.self, from: bytes)
            let written = try StoreJSON.JSONEncoder().encode(value)
            let again = try decoder.decode(Anything.self, from: written)
            hold(again == value, "A written value must read back as the same value.")
            try? checkRecord(bytes, decoder)
        } catch {
            if error.isParseError || error.code == .unencodable { return }
        }
        let theirs = try? JSONSerialization.jsonObject(
            with: Data(bytes),
            options: .fragmentsAllowed
        )
        hold(
            theirs != nil || holdsNumberBeyondDouble(bytes),
            "Foundation refuses what was taken."
        )
        Accepted.shared?.add(bytes)
    }
}

/// Checks the same for members that a type declares.
private func checkRecord(
    _ bytes: UnsafeRawBufferPointer,
    _ decoder: StoreJSON.JSONDecoder
) throws(JSONError) {
    let record = try decoder.decode(Record.self, from: bytes)
    let written = try StoreJSON.JSONEncoder().encode(record)
    let again = try? decoder.decode(Record.self, from: written)
    hold(again == record, "A written record must read back as the same record.")
}

/// True if an accepted document has a number that no `Double` can hold.
///
/// Foundation refuses such a number for its size. RFC 8259 sets no bound, and a type of ours may
/// read the number exactly. So only Python checks the syntax of such a document.
private func holdsNumberBeyondDouble(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var number = ""
    var inString = false
    var escaped = false
    for byte in bytes {
        if inString {
            inString = escaped || byte != UInt8(ascii: "\"")
            escaped = !escaped && byte == UInt8(ascii: "\\")
            continue
        }
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            number.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            if Double(number)?.isInfinite == true { return true }
            number = ""
            inString = byte == UInt8(ascii: "\"")
        }
    }
    return Double(number)?.isInfinite == true
}
