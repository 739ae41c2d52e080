/// The media type in a `Content-Type` header (RFC 9110 §8.3.1). The type, the subtype and the names
/// of the parameters are in lower case.
package struct MediaType: Sendable, Equatable {
    package let type: String
    package let subtype: String
    /// The parameters in the order of the header.
    package let parameters: [Parameter]

    package struct Parameter: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    /// Reads the value of a header; returns `nil` if the value is not exactly one valid media type.
    package init?(_ text: some StringProtocol) {
        var scanner = HeaderScanner(text)
        scanner.skipWhitespace()
        guard let type = scanner.takeToken(), scanner.take("/"), let subtype = scanner.takeToken()
        else {
            return nil
        }
        guard let parameters = MediaType.takeParameters(&scanner) else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        self.parameters = parameters
    }

    /// True if a body of this media type is JSON in UTF-8. The server accepts no other body
    /// (protocol 2.4).
    package var isJSON: Bool {
        guard type == "application", subtype == "json" else { return false }
        return parameters.allSatisfy { $0.name != "charset" || $0.value.lowercased() == "utf-8" }
    }

    /// Returns true if the value of a `Content-Type` header names JSON in UTF-8. For the usual
    /// spelling, the cost is one comparison.
    package static func isJSON(_ header: String) -> Bool {
        header == "application/json" || MediaType(header)?.isJSON == true
    }

    private static func takeParameters(_ scanner: inout HeaderScanner) -> [Parameter]? {
        var parameters: [Parameter] = []
        while true {
            scanner.skipWhitespace()
            if scanner.isAtEnd { return parameters }
            guard scanner.take(";") else { return nil }
            scanner.skipWhitespace()
            guard let name = scanner.takeToken() else {
                // The grammar allows a semicolon without a parameter.
                if scanner.isAtEnd || scanner.nextByte == UInt8(ascii: ";") { continue }
                return nil
            }
            guard scanner.take("=") else { return nil }
            guard let value = scanner.takeToken().map(String.init) ?? scanner.takeQuotedString()
            else {
                return nil
            }
            parameters.append(Parameter(name: name.lowercased(), value: value))
        }
    }
}
