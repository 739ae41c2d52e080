/// A `Content-Type` (RFC 9110 §8.3.1), with its parameters checked and its names in lower case.
package struct MediaType: Sendable, Equatable {
    package let type: String
    package let subtype: String
    /// Names in lower case, in the order they were sent.
    package let parameters: [Parameter]

    package struct Parameter: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    /// Reads one media type; `nil` when the value is not exactly one.
    package init?(_ text: some StringProtocol) {
        var scanner = HeaderScanner(text)
        scanner.skipWhitespace()
        guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token() else {
            return nil
        }
        guard let parameters = MediaType.parameters(&scanner) else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        self.parameters = parameters
    }

    /// Whether a body of this type is JSON in UTF-8, the only form that is taken (protocol 2.4).
    package var isJSON: Bool {
        guard type == "application", subtype == "json" else { return false }
        return parameters.allSatisfy {
            $0.name != "charset" || $0.value.lowercased() == "utf-8"
        }
    }

    /// Whether a `Content-Type` names JSON; the usual spelling costs one comparison.
    package static func isJSON(_ header: String) -> Bool {
        header == "application/json" || MediaType(header)?.isJSON == true
    }

    private static func parameters(_ scanner: inout HeaderScanner) -> [Parameter]? {
        var parameters: [Parameter] = []
        while true {
            scanner.skipWhitespace()
            if scanner.isAtEnd { return parameters }
            guard scanner.take(";") else { return nil }
            scanner.skipWhitespace()
            guard let name = scanner.token() else {
                // The grammar allows a semicolon with nothing behind it.
                if scanner.isAtEnd || scanner.next == UInt8(ascii: ";") { continue }
                return nil
            }
            guard scanner.take("=") else { return nil }
            guard let value = scanner.token().map(String.init) ?? scanner.quotedString() else {
                return nil
            }
            parameters.append(Parameter(name: name.lowercased(), value: value))
        }
    }
}
