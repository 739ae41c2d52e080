import Testing

@testable import StoreJSON

/// An enum's case, read and written by its payload alone.
@Suite struct CaseCodingTests {
    private enum Shape: Codable, Equatable {
        case dot
        case circle(radius: Double, at: Point?)
        case label(String)
        case lines([Point])
    }

    private struct Point: Codable, Equatable {
        var x: Int
        var y: Int
    }

    private enum Level: String, Codable { case low, high }

    /// Reads itself as another type.
    private struct Wrapped: Codable, Equatable {
        let shape: Shape

        init(from decoder: any Decoder) throws {
            shape = try decoder.singleValueContainer().decode(Shape.self)
        }
    }

    /// Returns an action as a client sends it.
    private func body(_ payload: String) throws -> JSONNode? {
        let bytes = Array(#"[{"payload":\#(payload)}]"#.utf8)
        return try JSONDocument(parsing: bytes, limits: JSONLimits()).root.elements[0]
            .member(named: "payload")
    }

    private func read<T: Decodable>(
        _ type: T.Type,
        _ name: String,
        _ payload: String?
    ) throws -> T {
        try JSONDecoder().decode(
            type,
            at: payload.flatMap { try body($0) },
            asCase: name,
            pointerPrefix: "/payload"
        )
    }

    private func error<T: Decodable & Sendable>(
        _ type: T.Type,
        _ name: String,
        _ payload: String?
    ) throws -> JSONError {
        try #require(throws: JSONError.self) { try read(type, name, payload) }
    }

    private func write<T: Encodable>(_ value: T) throws -> [String] {
        try JSONEncoder().encodeCase(value) { name, payload in
            [String(decoding: name, as: UTF8.self), String(decoding: payload, as: UTF8.self)]
        }
    }

    @Test func `a case is read from its associated values`() throws {
        #expect(try read(Shape.self, "dot", "{}") == .dot)
        #expect(try read(Shape.self, "dot", nil) == .dot)
        #expect(
            try read(Shape.self, "circle", #"{"radius":2,"at":{"x":1,"y":2},"more":[{}]}"#)
                == .circle(radius: 2, at: Point(x: 1, y: 2))
        )
        #expect(try read(Shape.self, "label", #"{"_0":"é"}"#) == .label("é"))
        #expect(try read(Wrapped.self, "label", #"{"_0":"a"}"#).shape == .label("a"))
        // The decoder looks the names of members up anew for each type.
        #expect(
            try read(Shape.self, "lines", #"{"_0":[{"x":1,"y":2}]}"#) == .lines([Point(x: 1, y: 2)])
        )
    }

    @Test func `a case of texts is read from its name`() throws {
        #expect(try read(Level.self, "high", "{}") == .high)
        #expect(try read(Level.self, "low", nil) == .low)
        #expect(try error(Level.self, "middle", nil).pointer == "/payload")
    }

    @Test func `errors point at the member at fault`() throws {
        #expect(try error(Shape.self, "circle", #"{"radius":"x"}"#).pointer == "/payload/radius")
        #expect(try error(Shape.self, "circle", nil).pointer == "/payload/radius")
        let deep = try error(Shape.self, "lines", #"{"_0":[{"x":1,"y":2},{"x":1}]}"#)
        #expect(deep.pointer == "/payload/_0/1/y")
        #expect(deep.code == .missing)
        // The offset of the error counts from the beginning of the document, not of the payload.
        let bytes = Array(#"[{"payload":{"_0":[{"x":1,"y":2},"#.utf8)
        #expect(deep.offset == bytes.count)
        #expect(try error(Shape.self, "square", "{}").pointer == "/payload")
        #expect(try error(Point.self, "x", #"{"y":1}"#).pointer.hasPrefix("/payload"))
        #expect(try error([Int].self, "x", "{}").pointer == "/payload")
        #expect(try error(Int.self, "x", "{}").pointer == "/payload")
    }

    @Test func `a value that is no case reads as before afterwards`() throws {
        _ = try read(Shape.self, "dot", "{}")
        let bytes = Array(#"{"circle":{"radius":1}}"#.utf8)
        #expect(try JSONDecoder().decode(Shape.self, from: bytes) == .circle(radius: 1, at: nil))
    }

    @Test func `a case is written as its name and its payload`() throws {
        #expect(try write(Shape.dot) == ["dot", "{}"])
        #expect(
            try write(Shape.circle(radius: 2, at: Point(x: 1, y: 2)))
                == ["circle", #"{"radius":2,"at":{"x":1,"y":2}}"#]
        )
        #expect(try write(Shape.label(#"}"{\"#)) == ["label", #"{"_0":"}\"{\\"}"#])
        #expect(try write(Level.high) == ["high", "{}"])
    }

    @Test(arguments: [
        "1", "[]", "null", "true", "{}", #""""#, #"{"a":1}"#, #"{"a":[]}"#, #"{"a":{},"b":{}}"#,
        #"{"a":{},"b":1}"#, #"{"a\"b":{}}"#, #""a\"b""#, "", "{", #"{""#, #"""#,
    ])
    func `a text that is no case is written as none`(_ text: String) {
        let form = Array(text.utf8).withUnsafeBytes { EncodedCase($0) == nil }
        // An empty name is a case here; it is refused when names are derived.
        #expect(form == (text != #""""#))
    }
}
