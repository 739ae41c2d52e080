/// A key or an index of a JSON document, in places that need a `CodingKey` and have no key type.
///
/// A key is small enough to lie within an `any CodingKey`, so that a path of keys is one
/// allocation.
enum JSONKey: CodingKey {
    case name(String)
    case index(Int)

    static let `super` = JSONKey.name("super")

    init(stringValue: String) {
        self = .name(stringValue)
    }

    init(intValue: Int) {
        self = .index(intValue)
    }

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
    var pointer: String {
        map { "/" + escapedToken($0.intValue.map(String.init) ?? $0.stringValue) }.joined()
    }
}
