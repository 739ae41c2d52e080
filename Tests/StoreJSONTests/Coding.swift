@testable import StoreJSON

// The functions with which tests of the codec name values and texts in one line.

/// Returns a value as JSON.
func text<T: Encodable>(_ value: T) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
}

/// Returns shared bytes as a text.
func text(_ bytes: Bytes) -> String {
    bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
}

/// Reads a value of a type from JSON.
func value<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
    try JSONDecoder().decode(type, from: Array(text.utf8))
}

/// Parses a document of any size.
func parse(_ text: String) throws -> JSONDocument {
    try JSONDocument(parsing: Array(text.utf8), limits: .unbounded)
}
