/// What a `Prefer` header asks for (RFC 7240), as far as this server takes it (protocol 2.6).
///
/// Preferences are wishes: one that is unknown or cannot be read is skipped and the request goes
/// on; of two with one name the first counts (RFC 7240 §2).
package struct Preferences: Sendable, Equatable {
    package enum Returned: String, Sendable {
        case representation, minimal
    }

    /// `return=…`.
    package private(set) var returned: Returned?
    /// `wait=…` in whole seconds, not yet bounded by what the server allows.
    package private(set) var waitSeconds: Int?

    /// No wishes.
    package init() {}

    /// What is preferred, whatever text it comes from.
    package init(returned: Returned?, waitSeconds: Int?) {
        self.returned = returned
        self.waitSeconds = waitSeconds
    }

    /// Reads one value; several header lines are joined with a comma first, as HTTP does.
    package init(_ text: some StringProtocol) {
        var scanner = HeaderScanner(text)
        var seen: Set<String> = []
        while !scanner.isAtEnd {
            if let (name, value) = Preferences.preference(&scanner), seen.insert(name).inserted {
                apply(name, value)
            }
            Preferences.skipToNext(&scanner)
        }
    }

    /// The value of `Preference-Applied`, of the form that the answer has and the time that the
    /// server was ready to wait, where those were asked for; `nil` when nothing was honoured.
    package static func applied(returned: Returned?, waitSeconds: Int?) -> String? {
        let parts = [
            returned.map { "return=\($0.rawValue)" }, waitSeconds.map { "wait=\($0)" },
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private mutating func apply(_ name: String, _ value: String) {
        switch name {
        case "return":
            returned = Returned(rawValue: value)
        case "wait":
            guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return
            }
            // More digits than an Int holds still mean "as long as you allow".
            waitSeconds = Int(value) ?? Int.max
        default:
            break
        }
    }

    private static func preference(_ scanner: inout HeaderScanner) -> (String, String)? {
        scanner.skipWhitespace()
        guard let name = scanner.token() else { return nil }
        scanner.skipWhitespace()
        guard scanner.take("=") else { return (name.lowercased(), "") }
        scanner.skipWhitespace()
        guard let value = scanner.token().map(String.init) ?? scanner.quotedString() else {
            return nil
        }
        return (name.lowercased(), value)
    }

    /// Skips parameters, and whatever else stands before the next comma outside of quotes.
    private static func skipToNext(_ scanner: inout HeaderScanner) {
        while !scanner.isAtEnd, !scanner.take(",") {
            let quoted = scanner.next == UInt8(ascii: "\"")
            if quoted, scanner.quotedString() != nil { continue }
            _ = scanner.take { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
            _ = quoted && scanner.take("\"")
        }
    }
}
