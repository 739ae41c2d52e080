import StoreTestSupport
import Testing

@testable import StoreJSON

@Suite struct DecodingTrailTests {
    /// Tries one form after another, as types of programs do.
    enum Guess: Decodable {
        enum Kind: String, Decodable { case known }
        struct Point: Decodable { var x: Int, y: Int }

        case number(Int)
        case kind(Kind)
        case point(Point)
        case list([Guess])
        case other

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(Int.self) {
                self = .number(number)
            } else if let kind = try? value.decode(Kind.self) {
                self = .kind(kind)
            } else if let point = try? value.decode(Point.self) {
                self = .point(point)
            } else if let list = try? value.decode([Guess].self) {
                self = .list(list)
            } else {
                self = .other
            }
        }
    }

    private func tape(_ text: String) throws -> JSONTape {
        try JSONDocument(parsing: Array(text.utf8), limits: .unbounded).tape
    }

    /// Returns the number of entries that were visited for the paths of all failures on the way.
    private func visits(decoding text: String) throws -> Int {
        let box = CoderBox(DecodingState(AdapterList([])))
        return try withExtendedLifetime(box) {
            box.pointer.pointee.begin(try tape(text), [:])
            _ = try box.pointer.decode([Guess].self, at: 0)
            return box.pointer.pointee.pathCache.visitCount
        }
    }

    @Test(arguments: [#""x""#, #"{"x":1}"#, #"{"y":true}"#, "1.5"])
    func `failures that a type passes over cost one walk in an array of any length`(
        element: String
    ) throws {
        let text = "[" + Array(repeating: element, count: 5_000).joined(separator: ",") + "]"
        let visits = try visits(decoding: text)
        #expect((5_000...30_000).contains(visits))
    }

    @Test func `failures that a type passes over cost one walk in an array of any depth`() throws {
        let depth = 100
        let text =
            String(repeating: #"["x","y","#, count: depth) + "1"
            + String(repeating: "]", count: depth)
        #expect((depth...20 * depth).contains(try visits(decoding: text)))
    }

    @Test func `an array that is asked for between its elements keeps the place`() throws {
        let tape = try tape(
            "[[" + Array(repeating: "0", count: 1_000).joined(separator: ",") + "]]"
        )
        let trail = CodingPathCache()
        for element in 0..<1_000 {
            #expect(trail.codingPath(to: element + 2, in: tape).jsonPointer == "/0/\(element)")
            #expect(trail.codingPath(to: 1, in: tape).jsonPointer == "/0")
        }
        #expect(trail.visitCount < 3_000)
    }

    @Test func `the way to a value is the same from any place of the trail`() throws {
        let tape = try tape(#"{"a/b":[1,{"":2,"5":[[],{"c":3}]},[]],"é~":{"d":[4,5,{}]},"z":6}"#)
        let isValue = (0..<tape.entryCount).filter {
            tape.kind(at: $0) != .string
        }
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let trail = CodingPathCache()
        for _ in 0..<2_000 {
            let target = isValue.randomElement(using: &random) ?? 0
            let fresh = tape.pointer(to: target)
            #expect(
                trail.codingPath(to: target, in: tape).jsonPointer == fresh,
                "seed \(seed), entry \(target)"
            )
        }
        let pointers = isValue.map { tape.pointer(to: $0) }
        #expect(
            pointers == [
                "", "/a~1b", "/a~1b/0", "/a~1b/1", "/a~1b/1/", "/a~1b/1/5", "/a~1b/1/5/0",
                "/a~1b/1/5/1", "/a~1b/1/5/1/c", "/a~1b/2", "/é~0", "/é~0/d", "/é~0/d/0",
                "/é~0/d/1", "/é~0/d/2", "/z",
            ]
        )
    }

    @Test func `a program's own code sees the whole path of a failure`() throws {
        struct Witness: Decodable {
            var path: [String] = []
            init(from decoder: any Decoder) throws {
                do {
                    _ = try decoder.singleValueContainer().decode([String: [Int]].self)
                } catch DecodingError.typeMismatch(_, let context) {
                    path = context.codingPath.map { $0.intValue.map { "#\($0)" } ?? $0.stringValue }
                }
            }
        }
        let text = #"{"":[{"a":[1,"x"]}]}"#
        let read = try JSONDecoder().decode([String: [Witness]].self, from: Array(text.utf8))
        #expect(read[""]?.first?.path == ["", "#0", "a", "#1"])
    }
}
