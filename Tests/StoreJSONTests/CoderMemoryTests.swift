import Testing

@testable import StoreJSON

/// The memory of coders from one value to the next. No written or read value may depend on it.
@Suite struct CoderMemoryTests {
    struct Moment: Codable, Equatable { var seconds = 5 }

    private let adapter = JSONAdapter(
        Moment.self,
        expected: "a moment",
        encode: { .string("+\($0.seconds)") },
        decode: { scalar in
            guard case .string(let text) = scalar else { return nil }
            return Int(text.dropFirst()).map(Moment.init)
        }
    )

    @Test func `coders with other adapters leave a coder its memory of types`() throws {
        let plain = (JSONEncoder(), JSONDecoder())
        let adapted = (JSONEncoder(adapters: [adapter]), JSONDecoder(adapters: [adapter]))
        let value = [[Moment()]]
        for _ in 0..<3 {
            let bytes = try adapted.0.encode(value)
            #expect(String(decoding: bytes, as: UTF8.self) == #"[["+5"]]"#)
            #expect(try adapted.1.decode([[Moment]].self, from: bytes) == value)
            let other = try plain.0.encode(value)
            #expect(String(decoding: other, as: UTF8.self) == #"[[{"seconds":5}]]"#)
            #expect(try plain.1.decode([[Moment]].self, from: other) == value)
        }
        // The type `Bool` is new to the coders, and they have forgotten none of the earlier types.
        #expect(try adapted.1.decode(Bool.self, from: try adapted.0.encode(true)))
        let boxes = (
            adapted.0.adapters.encodingStates.take(), adapted.1.adapters.decodingStates.take()
        )
        #expect(boxes.0.pointer.pointee.plans.count == 4)
        #expect(boxes.1.pointer.pointee.plans.count == 4)
    }

    @Test func `memory is given back and taken again`() throws {
        let encoder = JSONEncoder(adapters: [adapter])
        let pool = encoder.adapters.encodingStates
        let one = pool.take()
        let two = pool.take()
        #expect(one !== two)
        pool.giveBack(one)
        pool.giveBack(two)
        #expect(pool.take() === one)
        #expect(pool.take() === two)
    }

    final class Chain: Codable {
        var name: Int
        var next: Chain?
        var last: String
        init(_ name: Int, _ next: Chain?) {
            self.name = name
            self.next = next
            last = "x\(name)"
        }
    }

    @Test func `a key type at twenty levels keeps its containers apart`() throws {
        var chain: Chain?
        var expected = ""
        for name in 0..<20 {
            chain = Chain(name, chain)
            expected =
                #"{"name":\#(name),"# + (expected.isEmpty ? "" : #""next":\#(expected),"#)
                + #""last":"x\#(name)"}"#
        }
        let bytes = try JSONEncoder().encode(chain)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        let back = try JSONDecoder().decode(Chain.self, from: bytes)
        #expect(try JSONEncoder().encode(back) == bytes)
        #expect(
            try JSONDecoder().decode([Chain].self, from: Array("[\(expected)]".utf8)).count == 1
        )
    }

    /// Keeps the containers of its coders, as no type should.
    struct Hoarder: Codable {
        nonisolated(unsafe) static var writing: [KeyedEncodingContainer<Keys>] = []
        nonisolated(unsafe) static var reading: [(KeyedDecodingContainer<Keys>, count: Int)] = []
        enum Keys: String, CodingKey { case a, b }
        var parts: [Hoarder]

        init(_ parts: [Hoarder] = []) { self.parts = parts }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            parts = try container.decode([Hoarder].self, forKey: .a)
            Self.reading.append((container, parts.count))
            for (kept, count) in Self.reading {
                guard try kept.decode(Int.self, forKey: .b) != count else { continue }
                throw DecodingError.dataCorruptedError(
                    forKey: .b,
                    in: kept,
                    debugDescription: "The container reads another object."
                )
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            Self.writing.append(container)
            try container.encode(parts, forKey: .a)
            try container.encode(parts.count, forKey: .b)
        }
    }

    @Test func `a container that is still held is not handed out again`() throws {
        defer {
            Hoarder.writing = []
            Hoarder.reading = []
        }
        let value = Hoarder([Hoarder(), Hoarder([Hoarder(), Hoarder()])])
        let bytes = try JSONEncoder().encode(value)
        let leaf = #"{"a":[],"b":0}"#
        let expected = #"{"a":[\#(leaf),{"a":[\#(leaf),\#(leaf)],"b":2}],"b":2}"#
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
        #expect(try JSONDecoder().decode(Hoarder.self, from: bytes).parts.count == 2)
    }

    /// A key of one byte, which may be beyond the bound of the table.
    struct ByteKey: CodingKey {
        let byte: UInt8
        var stringValue: String { "k\(byte)" }
        var intValue: Int? { nil }
        init(byte: UInt8) { self.byte = byte }
        init?(stringValue: String) {
            guard let byte = UInt8(stringValue.dropFirst()) else { return nil }
            self.byte = byte
        }
        init?(intValue: Int) { nil }
    }

    struct Bytes: Codable, Equatable {
        var values: [UInt8]
        init(_ values: [UInt8]) { self.values = values }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ByteKey.self)
            values = try container.allKeys.map { try container.decode(UInt8.self, forKey: $0) }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: ByteKey.self)
            for value in values { try container.encode(value, forKey: ByteKey(byte: value)) }
        }
    }

    @Test func `keys beyond the table are written and found, and distinguished`() throws {
        let all = Bytes((0...255).map { 255 - $0 })
        let bytes = try JSONEncoder().encode(all)
        #expect(try JSONDecoder().decode(Bytes.self, from: bytes) == all)
        let twice = try JSONEncoder().encode(Bytes([63, 64, 200, 64, 63]))
        #expect(
            String(decoding: twice, as: UTF8.self) == #"{"k63":63,"k64":64,"k200":200}"#
        )
    }

    struct Single: Codable, Equatable { var only = [1, 2] }

    @Test func `a key type with a single case has no byte and is still found`() throws {
        let bytes = try JSONEncoder().encode([Single(), Single()])
        #expect(String(decoding: bytes, as: UTF8.self) == #"[{"only":[1,2]},{"only":[1,2]}]"#)
        #expect(try JSONDecoder().decode([Single].self, from: bytes).count == 2)
    }
}
