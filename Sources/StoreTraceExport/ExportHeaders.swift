package import StoreCurl

/// The header fields of requests to a collector. A file has one field in each line, such as
/// `Authorization: Bearer …`. Empty lines, and lines that begin with `#`, are skipped.
package struct ExportHeaders: Sendable {
    /// The reason why a file cannot be used. The text contains no value of a field, because a value
    /// may be a secret.
    package struct FileError: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// The maximum number of fields of a file.
    package static let fieldsMax = 32
    /// The fields that a file must not have. The exporter or the connection sets these fields.
    private static let reservedNames: Set<String> = [
        "connection", "content-encoding", "content-length", "content-type", "expect", "host", "te",
        "transfer-encoding", "upgrade",
    ]

    package private(set) var fields: HTTPHeaders = [:]

    /// Makes an empty list of header fields.
    package init() {}

    /// Reads the content of a file.
    package init(_ bytes: [UInt8]) throws(FileError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FileError(description: "it is not a text in UTF-8")
        }
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, line) in lines.enumerated() {
            let line = line.drop { $0 == " " || $0 == "\t" }
            guard !line.isEmpty, line.first != "#" else { continue }
            try add(line, number: index + 1)
        }
    }

    private mutating func add(_ line: Substring, number: Int) throws(FileError) {
        guard let colon = line.firstIndex(of: ":") else {
            throw FileError(
                description: "line \(number) is no header field; allowed is Name: value"
            )
        }
        let name = String(line[..<colon])
        var value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        while value.last == " " || value.last == "\t" { value.removeLast() }
        fields.add(name, String(value))
        guard let field = fields.fields.last, field.isWellFormed, !value.isEmpty else {
            throw FileError(
                description: "line \(number) is no header field that can be sent; allowed is "
                    + "Name: value, without control characters"
            )
        }
        guard !Self.reservedNames.contains(name.lowercased()) else {
            throw FileError(description: "line \(number): the server sets \(name) by itself")
        }
        guard fields.fields.count <= Self.fieldsMax else {
            throw FileError(description: "it has more than \(Self.fieldsMax) header fields")
        }
    }
}
