import StoreTestSupport
import Testing

@testable import StoreJSON

@Suite struct JSONCodingTests {
    enum Shape: Codable, Equatable {
        case dot
        case circle(radius: Double)
        case label(String, Int)
    }

    enum Level: String, Codable, CodingKeyRepresentable { case low, high }

    struct Everything: Codable, Equatable {
        var int8: Int8 = -128
        var uint64: UInt64 = .max
        var int64: Int64 = .min
        var double = 0.1
        var whole = 3.0
        var float: Float = 1.5
        var text = "a\"b\\c/\n\u{1}é😀"
        var yes = true
        var none: Int?
        var some: String? = "x"
        var list = [[1, 2], [], [3]]
        var shapes: [Shape] = [.dot, .circle(radius: 2), .label("l", 4)]
        var byName = ["b": 1, "a": 2, "": 3]
        var byNumber = [10: "x", 9: "y"]
        var byLevel: [Level: Bool] = [.low: true, .high: false]
        var bytes: [UInt8] = [0, 255]
        var optionals: [Int?] = [1, nil]
    }

    private let expected =
        #"{"int8":-128,"uint64":18446744073709551615,"int64":-9223372036854775808,"double":0.1,"#
        + #""whole":3,"float":1.5,"text":"a\"b\\c/\n\u0001é😀","yes":true,"some":"x","#
        + #""list":[[1,2],[],[3]],"shapes":[{"dot":{}},{"circle":{"radius":2}},"#
        + #"{"label":{"_0":"l","_1":4}}],"byName":{"":3,"a":2,"b":1},"#
        + #""byNumber":{"9":"y","10":"x"},"byLevel":{"high":false,"low":true},"bytes":[0,255],"#
        + #""optionals":[1,null]}"#

    @Test func `members keep their order, and dictionaries are sorted`() throws {
        #expect(try text(Everything()) == expected)
        #expect(try text(Set([3, 1, 2])) == "[1,2,3]")
    }

    @Test func `a written value is read back as the same value`() throws {
        #expect(try value(Everything.self, expected) == Everything())
    }

    @Test func `scalars stand alone as documents`() throws {
        #expect(try text(5) == "5")
        #expect(try text("x") == "\"x\"")
        #expect(try text(Int?.none) == "null")
        #expect(try text([String: Int]()) == "{}")
        #expect(try value(Int.self, " 5 ") == 5)
        #expect(try value(Int?.self, "null") == nil)
    }

    @Test func `every double reads back bit for bit`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var state = seed
        for _ in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let number = Double(bitPattern: state)
            guard number.isFinite else { continue }
            let back = try value(Double.self, try text(number))
            #expect(back.bitPattern == number.bitPattern, "seed \(seed): \(number)")
        }
        for number in [
            0.0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e15, 1e16,
            123_456_789.125,
        ] {
            #expect(try value(Double.self, try text(number)).bitPattern == number.bitPattern)
        }
    }

    @Test func `every double is written as short as it can be`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        for _ in 0..<20_000 {
            let digits = Int64.random(in: -(1 << 53)...1 << 53, using: &random)
            let scale = Int.random(in: 0..<8, using: &random)
            let number =
                Double(digits >> Int64.random(in: 0..<53, using: &random))
                / [1, 10, 100, 1_000, 1e4, 1e5, 1e6, 8][scale]
            let shortest = number.description
            let expected = shortest.hasSuffix(".0") ? String(shortest.dropLast(2)) : shortest
            #expect(try text(number) == expected, "seed \(seed)")
        }
        let edges: [(Double, String)] = [
            (0, "0"), (-0.0, "-0"), (0.1, "0.1"), (0.0001, "0.0001"), (0.00005, "5e-05"),
            (-1.5, "-1.5"), (99_999_999_999.9999, "99999999999.9999"), (1e11, "100000000000"),
            (0.1 + 0.2, "0.30000000000000004"), (1.00005, "1.00005"), (1e15, "1000000000000000"),
        ]
        for (number, expected) in edges { #expect(try text(number) == expected) }
    }

    @Test func `numbers without a form in JSON are errors with their place`() {
        #expect {
            try text(["a": [1.0, .infinity]])
        } throws: {
            let error = $0 as? JSONError
            return error?.code == .unencodable && error?.pointer == "/a/1"
        }
    }

    @Test(arguments: [
        ("1.0", 1), ("1e2", 100), ("-3.000", -3), ("1e18", 1_000_000_000_000_000_000), ("-0.0", 0),
        ("1.5e1", 15), ("1200E-2", 12), ("0e999999999999999999999", 0),
        ("9223372036854775807.0e0", .max),
        ("9223372036854775807", Int.max),
        ("-9223372036854775808", Int.min),
    ])
    func `a whole number is an integer in any spelling`(text: String, expected: Int) throws {
        #expect(try value(Int.self, text) == expected)
    }

    @Test(arguments: [
        "1.5", "1e-1", "1e19", "1.00000000000000000001e1", "1e99999999999999999999",
        "1e-9999999999",
        "922337203685477580.8e1", "9223372036854775808", "1e400", "\"1\"", "true", "null", "[]",
    ])
    func `a number that does not fit an integer exactly is an error`(text: String) {
        #expect {
            try value(Int.self, text)
        } throws: {
            ($0 as? JSONError)?.code == .mismatch
        }
    }

    @Test func `an error has the offset, the pointer and the expected kind`() {
        struct Item: Decodable { let id: Int, title: String }
        let cases: [(String, Int, String, String)] = [
            (#"{"a/b":[{"id":1,"title":2}]}"#, 24, "/a~1b/0/title", "a string"),
            (#"{"a/b":[{"id":1}]}"#, 8, "/a~1b/0/title", "a value"),
            (#"{"a/b":{}}"#, 7, "/a~1b", "an array"),
        ]
        for (text, offset, pointer, expected) in cases {
            #expect {
                try value([String: [Item]].self, text)
            } throws: {
                let error = $0 as? JSONError
                return error?.offset == offset && error?.pointer == pointer
                    && error?.expected == expected
            }
        }
    }

    @Test func `a program's own code sees the standard library's errors`() throws {
        struct Lenient: Decodable, Equatable {
            let value: Int
            enum Keys: String, CodingKey { case value }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                do {
                    value = try container.decode(Int.self, forKey: .value)
                } catch DecodingError.keyNotFound {
                    value = -1
                } catch DecodingError.typeMismatch {
                    value = -2
                }
            }
        }
        #expect(
            try value([Lenient].self, #"[{"value":3},{},{"value":"x"}]"#).map(\.value) == [
                3, -1, -2,
            ]
        )
    }

    class Animal: Codable {
        var name = "n"
        init() {}
    }

    final class Cat: Animal {
        var lives = 9
        enum Keys: String, CodingKey { case lives }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            lives = try container.decode(Int.self, forKey: .lives)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(lives, forKey: .lives)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test func `a subclass encodes its parent through the super coder`() throws {
        let text = try text(Cat())
        #expect(text == #"{"lives":9,"super":{"name":"n"}}"#)
        #expect(try value(Cat.self, text).name == "n")
    }

    struct Turns: Encodable {
        enum Keys: String, CodingKey { case a, b, x, y }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var a = container.nestedContainer(keyedBy: Keys.self, forKey: .a)
            var b = container.nestedUnkeyedContainer(forKey: .b)
            try a.encode(1, forKey: .x)
            try b.encode(2)
            try a.encode(["k": 3], forKey: .y)
            try b.encode(Shape.dot)
        }
    }

    @Test func `containers that are written by turns come out whole`() throws {
        #expect(try text([Turns()]) == #"[{"a":{"x":1,"y":{"k":3}},"b":[2,{"dot":{}}]}]"#)
    }

    @Test func `a type that encodes nothing is an empty object`() throws {
        struct Nothing: Codable {}
        #expect(try text([Nothing(), Nothing()]) == "[{},{}]")
    }

    @Test func `members that a type does not have are passed over`() throws {
        struct One: Decodable { let b: Int }
        #expect(try value(One.self, #"{"a":[{}],"b":1,"c":"x"}"#).b == 1)
    }

    struct Quoted: Codable, Equatable {
        var odd = 1
        var plain = 2
        enum CodingKeys: String, CodingKey { case odd = "a\"b\\c\n", plain = "é/" }
    }

    @Test func `keys that need escapes are found again`() throws {
        #expect(try value(Quoted.self, try text(Quoted())) == Quoted())
        #expect(throws: JSONError.self) {
            try value(Quoted.self, #"{"a\\\"b\\\\c\\n":1,"é/":2}"#)
        }
    }

    @Test func `adapters hold for containers that are written by turns`() throws {
        struct Moment: Encodable { var seconds = 5 }
        struct Mixed: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Turns.Keys.self)
                var a = container.nestedContainer(keyedBy: Turns.Keys.self, forKey: .a)
                try container.encode(1, forKey: .b)
                try a.encode(Moment(), forKey: .x)
            }
        }
        let adapter = JSONAdapter(
            Moment.self,
            expected: "a moment",
            encode: { .string("+\($0.seconds)") },
            decode: { _ in nil }
        )
        let bytes = try JSONEncoder(adapters: [adapter]).encode(Mixed())
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":{"x":"+5"},"b":1}"#)
    }
}
