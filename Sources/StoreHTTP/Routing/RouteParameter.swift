import StoreJSONSchema
import StoreTexts
package import StoreWire

/// A parameter of the query or the path, or a header field, as a route declares it.
protocol RouteParameter: Sendable {
    var description: OpenAPI.Parameter { get }

    /// True if the parameter allows a value. `text` is the value in the query or the path, decoded.
    func allows(_ text: String) -> Bool

    var allowsAnything: Bool { get }

    /// The allowed values, for the problem that refuses another value: `true or false`.
    var allowedValues: String { get }
}

extension RouteParameter {
    var name: String { description.name }
    var isOfQuery: Bool { description.location == .query }
}

/// A parameter of a query or of a path, with the function that reads its text.
package struct Parameter<Value: Sendable>: RouteParameter {
    package let description: OpenAPI.Parameter
    package let allowedValues: String
    var allowsAnything = false
    /// Reads the value from its text; returns `nil` if the text is not allowed.
    package let read: @Sendable (String) -> Value?

    package func allows(_ text: String) -> Bool { read(text) != nil }
}

extension Parameter where Value == UInt64 {
    /// Makes a parameter for a whole number within bounds.
    package static func number(
        _ name: String,
        in bounds: ClosedRange<UInt64> = 0 ... .max,
        _ summary: String
    ) -> Parameter {
        let least = Int64(clamping: bounds.lowerBound)
        let form = JSONSchema.integer(minimum: least, maximum: bounds.upperBound)
        return Parameter(
            description: .init(name, in: .query, form, summary: summary),
            allowedValues: "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        ) { text in
            guard !text.isEmpty, text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
            return UInt64(text).flatMap { bounds.contains($0) ? $0 : nil }
        }
    }
}

extension Parameter where Value == Bool {
    /// Makes a parameter for `true` or `false`. An absent parameter means `false`.
    package static func flag(_ name: String, _ summary: String) -> Parameter {
        Parameter(
            description: .init(name, in: .query, .boolean, summary: summary),
            allowedValues: "true or false"
        ) { Bool($0) }
    }
}

extension Parameter where Value == String {
    /// Makes a parameter for any text.
    package static func text(_ name: String, _ summary: String) -> Parameter {
        Parameter(description: .init(name, in: .query, summary: summary), allowedValues: "a text") {
            $0
        }
    }

    /// Makes a parameter for a text of visible ASCII, with bounds on the number of bytes.
    package static func visibleASCII(
        _ name: String,
        bytes: ClosedRange<Int>,
        _ summary: String
    ) -> Parameter {
        let form = JSONSchema.text(pattern: "^[!-~]{\(bytes.lowerBound),\(bytes.upperBound)}$")
        return Parameter(
            description: .init(name, in: .query, form, summary: summary),
            allowedValues: "\(bytes.lowerBound) to \(bytes.upperBound) visible characters of ASCII"
        ) { text in
            bytes ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7E ~= $0 } ? text : nil
        }
    }

    /// Makes a parameter for a segment of the path. If `values` is `nil`, the parameter allows any
    /// text.
    package static func path(
        _ name: String,
        oneOf values: [String]? = nil,
        _ summary: String
    ) -> Parameter {
        let form = values.map { JSONSchema.stringEnum($0) } ?? .text(pattern: "^.+$")
        return Parameter(
            description: .init(name, in: .path, form, summary: summary),
            allowedValues: values.map { "one of " + $0.joined(separator: ", ") } ?? "a name",
            allowsAnything: values == nil
        ) { text in values?.contains(exactly: text) != false ? text : nil }
    }
}

extension Parameter where Value: RawRepresentable<String> & CaseIterable {
    /// Makes a parameter whose values are the raw values of an enumeration.
    package static func choice(_ name: String, _ summary: String) -> Parameter {
        let words = Value.allCases.map(\.rawValue)
        return Parameter(
            description: .init(name, in: .query, .stringEnum(words), summary: summary),
            allowedValues: words.joined(separator: " or ")
        ) { Value(rawValue: $0) }
    }
}

/// A header field that a handler reads directly from the request.
struct HeaderParameter: RouteParameter {
    let description: OpenAPI.Parameter
    var allowedValues: String { description.summary }
    var allowsAnything: Bool { true }

    init(_ name: String, _ summary: String, _ schema: JSONSchema = .string()) {
        description = OpenAPI.Parameter(name, in: .header, schema, summary: summary)
    }

    func allows(_ text: String) -> Bool { true }
}
