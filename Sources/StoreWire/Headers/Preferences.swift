import StoreTexts

/// The preferences of a `Prefer` header (RFC 7240) that this server supports (protocol 2.6).
///
/// A preference never makes a request fail: the server ignores unknown and invalid preferences. If
/// two preferences have the same name, the server ignores the second (RFC 7240 §2).
package struct Preferences: Sendable, Equatable {
    package enum ReturnForm: String, Sendable {
        case representation, minimal
    }

    /// The value of the preference `return`; `nil` if the header has no such preference.
    package private(set) var returnForm: ReturnForm?
    /// The value of the preference `wait` in whole seconds. The value may be greater than the
    /// server's maximum.
    package private(set) var waitSeconds: Int?

    /// True if the client prefers an answer with the state.
    package var prefersRepresentation: Bool { returnForm == .representation }

    /// Makes preferences from their values.
    package init(returnForm: ReturnForm? = nil, waitSeconds: Int? = nil) {
        self.returnForm = returnForm
        self.waitSeconds = waitSeconds
    }

    /// Reads the value of a `Prefer` header. If a request has several `Prefer` headers, the caller
    /// has to join their values with commas, as HTTP permits.
    package init(_ text: some StringProtocol) {
        var scanner = HeaderScanner(text)
        var seen: Set<String> = []
        while !scanner.isAtEnd {
            if let (name, value) = Preferences.takePreference(&scanner), seen.insert(name).inserted
            {
                setPreference(name, value)
            }
            Preferences.skipToNext(&scanner)
        }
    }

    /// Returns the value of the header `Preference-Applied`; `nil` if the server applied no
    /// preference.
    ///
    /// `returned` is the form of the answer, and `waitSeconds` the maximum time for which the
    /// server was ready to wait. A parameter is `nil` if the client did not send that preference.
    package static func appliedHeaderValue(returned: ReturnForm?, waitSeconds: Int?) -> String? {
        let parts = [returned.map { "return=\($0.rawValue)" }, waitSeconds.map { "wait=\($0)" }]
            .compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private mutating func setPreference(_ name: String, _ value: String) {
        switch name {
        case "return": returnForm = ReturnForm(rawValue: value)
        case "wait":
            guard !value.isEmpty, value.utf8.allSatisfy(\.isDigit) else { return }
            // A number that does not fit into an `Int` is a request for the longest possible wait.
            waitSeconds = Int(value) ?? Int.max
        default: break
        }
    }

    private static func takePreference(_ scanner: inout HeaderScanner) -> (String, String)? {
        scanner.skipWhitespace()
        guard let name = scanner.takeToken() else { return nil }
        scanner.skipWhitespace()
        guard scanner.take("=") else { return (name.lowercased(), "") }
        scanner.skipWhitespace()
        guard let value = scanner.takeToken().map(String.init) ?? scanner.takeQuotedString() else {
            return nil
        }
        return (name.lowercased(), value)
    }

    /// Skips all text through the next comma outside of quotes: parameters of the preference, and
    /// invalid text.
    private static func skipToNext(_ scanner: inout HeaderScanner) {
        while !scanner.isAtEnd, !scanner.take(",") {
            let quoted = scanner.nextByte == UInt8(ascii: "\"")
            if quoted, scanner.takeQuotedString() != nil { continue }
            _ = scanner.take { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
            _ = quoted && scanner.take("\"")
        }
    }
}
