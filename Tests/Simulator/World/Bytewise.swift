import StoreCore
import Wire

/// A text that is equal to another one where its bytes are.
struct Bytewise: Hashable, Comparable, CustomStringConvertible {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var description: String {
        text.unicodeScalars.map { $0.isASCII ? String($0) : $0.escaped(asASCII: true) }.joined()
    }

    static func < (a: Bytewise, b: Bytewise) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }

    func contains(_ other: Bytewise) -> Bool {
        guard let first = other.bytes.first, bytes.count >= other.bytes.count else { return false }
        var place = 0
        while place + other.bytes.count <= bytes.count {
            if bytes[place] == first,
                bytes[place..<(place + other.bytes.count)].elementsEqual(other.bytes)
            {
                return true
            }
            place += 1
        }
        return false
    }
}

/// A value of any type, as itself.
struct Plain: Encodable {
    let value: any Encodable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Bytewise {
    /// The value as JSON; `-` where there is none.
    init(json value: (any Encodable)?) {
        guard let value else {
            self.init("-")
            return
        }
        self.init((try? JSONEncoder().encode(Plain(value: value))) ?? Array("?".utf8))
    }
}

extension Bytewise {
    /// What stands for a slice that is not there.
    static let absent = Bytewise("-")

    /// A state as JSON, put together of its slices.
    init(slices: [Bytewise], of names: [String]) {
        var bytes = Array("{".utf8)
        for (name, slice) in zip(names, slices) {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes += Array("\"\(name)\":".utf8)
            bytes += slice == Self.absent ? Array("null".utf8) : slice.bytes
        }
        bytes.append(UInt8(ascii: "}"))
        self.init(bytes)
    }
}
