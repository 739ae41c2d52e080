/// The name of a member or the index of an element, as a `CodingKey`. Code without a key type of
/// its own uses this type.
///
/// A value fits into an `any CodingKey` without an allocation. So a path of keys takes one
/// allocation, for the array of keys.
enum JSONKey: CodingKey {
    case name(String)
    case index(Int)

    static let `super` = JSONKey.name("super")

    init(stringValue: String) { self = .name(stringValue) }
    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): String(index)
        }
    }

    var intValue: Int? {
        switch self {
        case .name: nil
        case .index(let index): index
        }
    }
}

extension Sequence<any CodingKey> {
    /// The keys as a JSON Pointer (RFC 6901).
    var jsonPointer: String {
        map { "/" + JSONPointer.escaped($0.intValue.map(String.init) ?? $0.stringValue) }.joined()
    }
}

/// A function that finds the path to the end of an incomplete document.
enum IncompleteJSON {
    /// Returns the keys and indices from the root to the value at the end of `bytes`. `bytes` is
    /// the part of a document that an encoder has written so far.
    static func pathToEnd(of bytes: UnsafeRawBufferPointer) -> [JSONKey] {
        var path: [(key: String?, index: Int)] = []
        var index = 0
        var string: Range<Int>?
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let start = index + 1
                index = start
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                string = start..<min(index, bytes.count)
            case UInt8(ascii: ":"):
                if let string, !path.isEmpty {
                    path[path.count - 1].key = String(decoding: bytes[string], as: UTF8.self)
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["): path.append((nil, 0))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): path = path.dropLast()
            case UInt8(ascii: ",") where !path.isEmpty: path[path.count - 1].index += 1
            default: break
            }
            index += 1
        }
        return path.map { part in part.key.map { .name($0) } ?? .index(part.index) }
    }
}
