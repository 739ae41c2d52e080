import Glibc
import StoreCore
import StoreJSON

/// A text that is equal to another text if their bytes are equal.
struct Bytewise: Hashable, Comparable, CustomStringConvertible {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var description: String {
        text.unicodeScalars.map { $0.isASCII ? String($0) : $0.escaped(asASCII: true) }.joined()
    }

    static func == (a: Bytewise, b: Bytewise) -> Bool {
        a.bytes.withUnsafeBytes { a in
            b.bytes.withUnsafeBytes { b in
                guard a.count == b.count else { return false }
                guard let first = a.baseAddress, let second = b.baseAddress else { return true }
                return first == second || memcmp(first, second, a.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    static func < (a: Bytewise, b: Bytewise) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }

    func contains(_ other: Bytewise) -> Bool {
        bytes.withUnsafeBytes { mine in
            other.bytes.withUnsafeBytes { theirs in
                guard let first = theirs.first, let base = mine.baseAddress,
                    let sought = theirs.baseAddress
                else { return false }
                var place = 0
                while place + theirs.count <= mine.count,
                    let found = memchr(base + place, CInt(first), mine.count - place)
                {
                    place = UnsafeRawPointer(found) - base
                    if place + theirs.count <= mine.count,
                        memcmp(base + place, sought, theirs.count) == 0
                    {
                        return true
                    }
                    place += 1
                }
                return false
            }
        }
    }
}

/// A value of any type, encoded as that value.
struct Plain: Encodable {
    let value: any Encodable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Bytewise {
    /// The value as JSON; `-` if it is `nil`.
    init(json value: (any Encodable)?) {
        guard let value else {
            self.init("-")
            return
        }
        self.init((try? JSONEncoder().encode(Plain(value: value))) ?? Array("?".utf8))
    }
}

extension Bytewise {
    /// The text of a slice that is absent.
    static let absent = Bytewise("-")

    /// A state as JSON, joined from its slices.
    init(slices: [Bytewise], of names: [String]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(slices.reduce(64) { $0 + $1.bytes.count + 24 })
        bytes.append(UInt8(ascii: "{"))
        for (name, slice) in zip(names, slices) {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\""))
            bytes += name.utf8
            bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
            if slice == Self.absent { bytes += "null".utf8 } else { bytes += slice.bytes }
        }
        bytes.append(UInt8(ascii: "}"))
        self.init(bytes)
    }
}

extension Bytewise {
    /// Returns the first difference from another text, with the bytes before and after it.
    func parting(from other: Bytewise) -> String {
        let place = zip(bytes, other.bytes).prefix { $0 == $1 }.count
        let (mine, theirs) = (bytes.dropFirst(place), other.bytes.dropFirst(place))
        let start = max(0, place - 60)
        return "…\(Bytewise(Array(bytes[start..<place]))) => "
            + "\(Bytewise(Array(mine.prefix(200)))) or \(Bytewise(Array(theirs.prefix(200))))"
    }
}
