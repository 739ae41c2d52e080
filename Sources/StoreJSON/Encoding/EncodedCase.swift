/// The name and the payload of an enum's encoded case: `{"<name>":{<payload>}}`, or `"<name>"`.
package struct EncodedCase {
    package let name: UnsafeRawBufferPointer
    package let payload: UnsafeRawBufferPointer

    /// - Parameter bytes: a JSON value without white space. The result is `nil` if the value has
    ///   neither form.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        let quote = UInt8(ascii: "\"")
        guard let first = bytes.first else { return nil }
        let start = first == quote ? 1 : 2
        guard bytes.count > start, bytes[start - 1] == quote,
            let end = bytes[start...].firstIndex(of: quote)
        else { return nil }
        name = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        // If the name has an escape, it may end at a later quote. No action may have such a name.
        guard !name.contains(UInt8(ascii: "\\")) else { return nil }
        if first == quote {
            payload = Self.emptyObject
            return
        }
        guard first == UInt8(ascii: "{"), end + 3 < bytes.count else { return nil }
        payload = UnsafeRawBufferPointer(rebasing: bytes[(end + 2)..<(bytes.count - 1)])
        guard Self.isOneObject(payload) else { return nil }
    }

    /// Returns true if the bytes are exactly one object. Returns false if further members follow
    /// the object.
    private static func isOneObject(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.first == UInt8(ascii: "{") else { return false }
        var depth = 0
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return index == bytes.count - 1 }
            case UInt8(ascii: "\""):
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
            default: break
            }
            index += 1
        }
        return false
    }

    // Safety: the literal's bytes are never freed.
    static var emptyObject: UnsafeRawBufferPointer {
        let text: StaticString = "{}"
        return UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
