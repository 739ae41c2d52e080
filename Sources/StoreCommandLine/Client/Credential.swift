/// A credential that a command sends to a server: an API key or a JWT. The credential comes from a
/// file or from the environment. A credential on the command line would stay in the shell's
/// history, and other users of the machine could read it.
package struct Credential: Equatable, Sendable {
    /// The variable that contains the credential. A second variable, with `_FILE` at the end of its
    /// name, has the path of a file that contains the credential.
    static let variable = ConfigurationOptions.environmentPrefix + "TOKEN"
    /// The maximum size of a credential, in bytes.
    static let bytesMax = 8 << 10

    private let token: String

    /// Reads the credential from the text of a file or a variable, which must be a single line. The
    /// error does not contain the text, because the text may be a secret.
    package init(_ text: String, of origin: String) throws(UsageError) {
        let line = text.utf8.reversed().drop { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }
        guard 1...Self.bytesMax ~= line.count, line.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw UsageError(
                "\(origin): this is not a credential; allowed are 1 to \(Self.bytesMax) visible "
                    + "characters in one line"
            )
        }
        token = String(decoding: line.reversed(), as: UTF8.self)
    }

    /// The value of the header field `Authorization` with this credential (RFC 6750, 2.1).
    var authorization: String { "Bearer \(token)" }
}
