import StoreWire

/// The URL to which spans are posted. The URL is made from the value of `--otlp-endpoint`: the path
/// of OTLP/HTTP is added, unless the value ends with that path.
package struct CollectorURL: Sendable, Equatable {
    /// The description of the allowed form, for error messages.
    package static let allowedForm =
        "an http or https URL without user, query and fragment, such as http://127.0.0.1:4318"
    private static let path = "/v1/traces"
    private static let bytesMax = 2_048

    /// The URL for posting batches.
    package let text: String
    /// True if the spans are sent unencrypted to another machine.
    package let exposesSpans: Bool

    /// Reads a URL; `nil` if the text has another form.
    package init?(_ text: String) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()),
            text.utf8.count <= Self.bytesMax, URIReference.isValid(text),
            !text.contains("?"), !text.contains("#")
        else { return nil }
        let authority = parts[1].prefix { $0 != "/" }
        guard !authority.contains("@"), let host = Self.host(of: authority) else { return nil }
        var base = text
        while base.hasSuffix("/") { base.removeLast() }
        self.text = base.hasSuffix(Self.path) ? base : base + Self.path
        exposesSpans = parts[0].lowercased() == "http" && !Self.isLoopback(host.lowercased())
    }

    /// Returns true if a host, in lower case, is this machine. A host name such as
    /// `127.example.com` begins like an address of this machine, but names another machine.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
        return bytes.count == 4 && bytes[0] == "127" && bytes.allSatisfy { UInt8($0) != nil }
    }

    /// Returns the host of an authority; `nil` if the host is empty, or the port is invalid.
    private static func host(of authority: Substring) -> Substring? {
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[end...].lastIndex(of: ":") else {
            return authority.isEmpty ? nil : authority
        }
        let port = authority[authority.index(after: colon)...]
        guard colon > authority.startIndex, let number = UInt16(port), number > 0 else {
            return nil
        }
        return authority[..<colon]
    }
}
