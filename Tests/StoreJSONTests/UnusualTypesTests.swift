import Testing

@testable import StoreJSON

/// Types whose own `encode(to:)` or `init(from:)` does what synthesized code never does.
@Suite struct UnusualTypesTests {
    enum Keys: String, CodingKey { case a, b, c }
    enum OtherKeys: String, CodingKey { case b, a, d }

    struct Written: Encodable {
        let write: (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try write(encoder) }
    }

    // MARK: - Without end

    @Test func `a value that nests without end is refused, not a crash`() {
        final class Loop: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(self)
            }
        }
        #expect(throws: JSONError.self) { try text(Loop()) }
    }

    @Test func `a value that encodes itself as a single value is refused, not a crash`() {
        struct Mirror: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(self)
            }
        }
        #expect {
            try text(["a": [Mirror()]])
        } throws: {
            let error = $0 as? JSONError
            return error?.code == .unencodable && error?.pointer == "/a/0"
        }
    }

    @Test func `a value that tries to encode itself twice comes to an end`() {
        struct Mirror: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try? container.encode(self)
                try? container.encode(self)
            }
        }
        #expect(throws: JSONError.self) { try text(Mirror()) }
        #expect(throws: JSONError.self) {
            try text(
                Written { encoder in
                    var container = encoder.container(keyedBy: Keys.self)
                    try container.encode(1, forKey: .a)
                    try container.encode(1, forKey: .a)
                    try? container.encode(Mirror(), forKey: .b)
                }
            )
        }
    }

    @Test func `a type that decodes itself as a single value is refused, not a crash`() {
        struct Mirror: Decodable {
            init(from decoder: any Decoder) throws {
                self = try decoder.singleValueContainer().decode(Self.self)
            }
        }
        #expect {
            try value([Mirror].self, "[1]")
        } throws: {
            let error = $0 as? JSONError
            return error?.code == .invalid && error?.pointer == "/0"
        }
    }

    @Test func `a type that tries to decode itself twice comes to an end`() {
        struct Mirror: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let one = try? container.decode(Self.self) { self = one }
                if let two = try? container.decode(Self.self) { self = two }
            }
        }
        #expect(throws: JSONError.self) { try value(Mirror.self, "1") }
    }

    @Test func `nested containers without end are refused, not a crash`() {
        #expect(throws: JSONError.self) {
            try text(
                Written { encoder in
                    var container = encoder.unkeyedContainer()
                    for _ in 0..<200_000 { container = container.nestedUnkeyedContainer() }
                }
            )
        }
    }

    @Test func `values nest as deep as the ceiling through wrappers of their own`() throws {
        indirect enum Tree: Codable, Equatable {
            case leaf
            case node([Tree])
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                self = container.decodeNil() ? .leaf : .node(try container.decode([Tree].self))
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .leaf: try container.encodeNil()
                case .node(let nodes): try container.encode(nodes)
                }
            }
        }
        var tree = Tree.node([])
        for _ in 1..<JSONLimits.depthCeiling { tree = .node([tree]) }
        let bytes = try JSONEncoder().encode(tree)
        #expect(bytes.count == 2 * JSONLimits.depthCeiling)
        #expect(try JSONDecoder(limits: .unbounded).decode(Tree.self, from: bytes) == tree)
        #expect(throws: JSONError.self) { try JSONEncoder().encode(Tree.node([tree])) }
    }

    // MARK: - One key twice

    @Test func `the last value of a key that is encoded twice counts`() throws {
        let twice = Written { encoder in
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(1, forKey: .a)
            try container.encode("x", forKey: .b)
            try container.encode([2], forKey: .a)
        }
        #expect(try text([twice]) == #"[{"a":[2],"b":"x"}]"#)
        #expect(try text(["k": twice]) == #"{"k":{"a":[2],"b":"x"}}"#)
    }

    @Test func `keys that no table holds are distinguished, too`() throws {
        let twice = Written { encoder in
            var container = encoder.container(keyedBy: JSONKey.self)
            for (index, key) in ["é", "x", "é", ""].enumerated() {
                try container.encode(index, forKey: .name(key))
            }
        }
        #expect(try text([twice]) == #"[{"é":2,"x":1,"":3}]"#)
    }

    @Test func `two key types share an object without writing a key twice`() throws {
        let shared = Written { encoder in
            var one = encoder.container(keyedBy: Keys.self)
            var other = encoder.container(keyedBy: OtherKeys.self)
            try one.encode(1, forKey: .a)
            try other.encode(2, forKey: .d)
            try one.encode(3, forKey: .c)
        }
        #expect(try text(shared) == #"{"a":1,"d":2,"c":3}"#)
        let clashing = Written { encoder in
            var one = encoder.container(keyedBy: Keys.self)
            var other = encoder.container(keyedBy: OtherKeys.self)
            try one.encode(1, forKey: .a)
            try other.encode(2, forKey: .b)
            try other.encode(3, forKey: .a)
            try one.encode(4, forKey: .c)
        }
        #expect(try text(clashing) == #"{"a":3,"b":2,"c":4}"#)
    }

    @Test func `a nested container is the same at a second request`() throws {
        let merged = Written { encoder in
            var container = encoder.container(keyedBy: Keys.self)
            var one = container.nestedContainer(keyedBy: Keys.self, forKey: .a)
            try one.encode(1, forKey: .b)
            try container.encode(2, forKey: .b)
            var two = container.nestedContainer(keyedBy: Keys.self, forKey: .a)
            try two.encode(3, forKey: .c)
        }
        #expect(try text(merged) == #"{"a":{"b":1,"c":3},"b":2}"#)
    }

    @Test func `a parent's object under the key of a member is written once`() throws {
        let twice = Written { encoder in
            var container = encoder.container(keyedBy: JSONKey.self)
            try container.encode(1, forKey: .super)
            try 2.encode(to: container.superEncoder())
        }
        #expect(try text(twice) == #"{"super":2}"#)
    }

    @Test func `two keys of a dictionary with the same name are an error`() {
        struct Name: Hashable, Codable, CodingKeyRepresentable {
            let number: Int
            var codingKey: any CodingKey { JSONKey.name("same") }
            init(_ number: Int) { self.number = number }
            init?(codingKey: some CodingKey) { nil }
        }
        #expect {
            try text(["d": [Name(1): 1, Name(2): 2]])
        } throws: {
            let error = $0 as? JSONError
            return error?.code == .unencodable && error?.pointer == "/d"
        }
    }

    // MARK: - Parts that are given up

    private let forgiving = Written { encoder in
        var container = encoder.container(keyedBy: Keys.self)
        try? container.encode(Double.nan, forKey: .a)
        try container.encode(1, forKey: .b)
        try? container.encode([["x": Double.infinity]], forKey: .c)
    }

    @Test func `a part that a type gives up on leaves nothing behind`() throws {
        #expect(try text(forgiving) == #"{"b":1}"#)
        #expect(try text([forgiving, forgiving]) == #"[{"b":1},{"b":1}]"#)
        #expect(try text(["k": forgiving]) == #"{"k":{"b":1}}"#)
        #expect(
            try text(
                [[1: 2.0], [3: .nan]].map { part in
                    Written { encoder in
                        var container = encoder.unkeyedContainer()
                        try? container.encode(part)
                        try container.encode(container.count)
                    }
                }
            ) == #"[[{"1":2},1],[0]]"#
        )
    }

    @Test func `a value whose first form fails takes another form`() throws {
        let second = Written { encoder in
            var container = encoder.singleValueContainer()
            do {
                try container.encode(["x": Double.nan])
            } catch {
                try container.encode("none")
            }
        }
        #expect(try text([second, second]) == #"["none","none"]"#)
        let nothing = Written { encoder in
            var container = encoder.singleValueContainer()
            try? container.encode(Double.nan)
        }
        #expect(try text([nothing, nothing]) == "[{},{}]")
    }

    @Test func `a part given up on the long way leaves nothing behind either`() throws {
        let long = Written { encoder in
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(1, forKey: .a)
            try container.encode(["s": Set([2.0])], forKey: .a)
            try? container.encode([Double.nan], forKey: .a)
            try? container.encode([self.forgiving], forKey: .b)
        }
        #expect(try text(long) == #"{"a":{"s":[2]},"b":[{"b":1}]}"#)
    }
}
