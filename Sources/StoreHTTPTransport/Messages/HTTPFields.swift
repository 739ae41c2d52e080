import StorePlatform
import StoreWire

/// The header fields of an answer in the library's form: each name and each value ends with NUL.
package struct HTTPFields: Sendable {
    private(set) var bytes: [UInt8] = []
    package private(set) var count = 0
}

extension HTTPFields {
    /// Makes fields from names and values, in their order.
    package init(_ fields: [(String, String)] = []) {
        self.init(bytes: [], count: 0)
        guard !fields.isEmpty else { return }
        bytes.reserveCapacity(160)
        for (name, value) in fields { append(name, value) }
    }

    /// Adds a field. Control characters in the value become spaces, because a control character
    /// could end the field.
    package mutating func append(_ name: String, _ value: String) {
        appendNULTerminated(name)
        let start = bytes.count
        appendNULTerminated(value)
        for index in start..<(bytes.count - 1) where bytes[index] < 0x20 || bytes[index] == 0x7F {
            if bytes[index] != 0x09 { bytes[index] = UInt8(ascii: " ") }
        }
        count += 1
    }

    /// Adds a field. `write` appends the field's value, which has only visible characters and
    /// spaces.
    package mutating func append(_ name: StaticString, _ write: (inout [UInt8]) -> Void) {
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(0)
        write(&bytes)
        bytes.append(0)
        count += 1
    }

    package mutating func append(_ others: HTTPFields) {
        bytes.append(contentsOf: others.bytes)
        count += others.count
    }

    /// Removes all fields, and keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        count = 0
    }

    private mutating func appendNULTerminated(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
        bytes.append(0)
    }

    package var namesAndValues: [(String, String)] {
        let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        return (0..<count).map { (parts[2 * $0], parts[2 * $0 + 1]) }
    }
}

/// The current time in the form of the `Date` header.
package enum HTTPDate {
    package static var now: String {
        CivilTime(secondsSince1970: SystemTime.wallNanoseconds() / 1_000_000_000).httpDate
    }
}

/// The value of the `Date` field, in the library's form. The value is made anew once a second.
struct DateField {
    private(set) var unixSeconds = Int.min
    private var text: [CChar] = [0]

    mutating func update() {
        let now = SystemTime.coarseWallSeconds()
        guard now != unixSeconds else { return }
        unixSeconds = now
        text = CivilTime(secondsSince1970: Int64(unixSeconds)).httpDate.utf8CString.map { $0 }
    }

    func withText<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
        text.withUnsafeBufferPointer { text in
            text.baseAddress.map(body) ?? withUnsafePointer(to: 0, body)
        }
    }
}
