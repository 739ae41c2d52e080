import StoreJSONSchema

// Types of programs, one for each way in which Codable reads

struct Garden: Codable {
    enum Soil: String, Codable {
        case clay, sand
        case loam = "rich loam"
    }

    enum Season: Int, Codable {
        case spring = 1, summer, autumn, winter
    }

    enum Only: String, Codable {
        case one
    }

    struct Bed: Codable {
        let label: String
        let plants: [Plant]
    }

    var name: String
    var area: Double
    var beds: [Bed]
    var soil: Soil
    var season: Season?
    var only: Only
    var gardener: Person?
    var owner: Person
    var counts: [String: UInt8]
    var byNumber: [Int: Bool]
    var bytes: [UInt8]
    var tags: Set<String>
    var big: UInt64
    var small: Int8
    var open: Bool
}

struct Person: Codable {
    let name: String
    let friends: [Person]?
}

enum Plant: Codable {
    case grass
    case tree(height: Int, Species)
    case graft(of: [Plant])
    case potted(Bool?)

    struct Species: Codable {
        let latin: String
    }
}

indirect enum Sum: Codable {
    case add(Sum, Sum)
    case negative(Sum)
    case number(Int)
}

struct NothingAtAll: Codable {}

struct Percentage: Codable, JSONSchemaProviding {
    static var jsonSchema: JSONSchema { .integer(minimum: 0, maximum: 100) }
    let value: Int
}

/// Refuses an empty text and the number 0, as types with rules do.
struct Checked: Codable {
    struct Refused: Error {}

    enum CodingKeys: String, CodingKey {
        case text, number, last
    }

    let text: String
    let number: Int
    let last: Bool

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        text = try container.decode(String.self, forKey: .text)
        guard !text.isEmpty else { throw Refused() }
        number = try container.decode(Int.self, forKey: .number)
        guard number > 0 else { throw Refused() }
        last = try container.decodeIfPresent(Bool.self, forKey: .last) ?? true
    }
}

/// Accepts no value that a probe could try.
struct Stubborn: Codable {
    struct Refused: Error {}

    enum CodingKeys: String, CodingKey {
        case code, never
    }

    let code: String
    let never: Int

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(String.self, forKey: .code)
        guard code == "xyzzy" else { throw Refused() }
        never = try container.decode(Int.self, forKey: .never)
    }
}

/// A value that is a number or a text.
enum NumberOrText: Codable {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        }
    }
}

/// A pair that is written as an array.
struct Place: Codable {
    let latitude: Double
    let name: String

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        latitude = try container.decode(Double.self)
        name = try container.decode(String.self)
    }
}

struct Identifier: RawRepresentable, Codable {
    let rawValue: String
}

struct Page<Item: Codable>: Codable {
    enum CodingKeys: String, CodingKey {
        case items = "page-items"
        case nested, next
    }

    let items: [Item]
    let next: Int?
    let depth: Int

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        items = try container.decode([Item].self, forKey: .items)
        let nested = try container.nestedContainer(keyedBy: NestedKeys.self, forKey: .nested)
        depth = try nested.decode(Int.self, forKey: .depth)
        next = container.contains(.next) ? try container.decode(Int.self, forKey: .next) : nil
    }

    enum NestedKeys: CodingKey {
        case depth
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(items, forKey: .items)
        var nested = container.nestedContainer(keyedBy: NestedKeys.self, forKey: .nested)
        try nested.encode(depth, forKey: .depth)
        try container.encodeIfPresent(next, forKey: .next)
    }
}

class Animal: Codable {
    let legs: Int
}

/// A class hierarchy as the language reference advises: the parent is under `super`.
final class Dog: Animal {
    enum CodingKeys: CodingKey {
        case breed
    }

    let breed: String

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        breed = try container.decode(String.self, forKey: .breed)
        try super.init(from: container.superDecoder())
    }
}
