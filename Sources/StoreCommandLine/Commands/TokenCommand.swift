import Glibc
import StorePlatform

/// The command `store-server token …`, which creates, lists, revokes or checks credentials.
package struct TokenCommand: Equatable {
    package enum Verb: String, CaseIterable {
        case create, list, revoke, check

        /// The usage of the command, and its description, for `--help`.
        var helpLine: ConfigurationHelp.HelpLine {
            switch self {
            case .create:
                (
                    "token create --principal NAME --role ROLE [--expires WHEN] [--keys FILE]",
                    "make an API key, and print it this once; WHEN is 90d, 12h, 30m or a time in "
                        + "UTC"
                )
            case .list:
                (
                    "token list [--keys FILE]",
                    "list the API keys of the keys file, without their secrets, which the file "
                        + "does not have"
                )
            case .revoke: ("token revoke ID [--keys FILE]", "take an API key out of the keys file")
            case .check:
                (
                    "token check TOKEN [--keys FILE]",
                    "check an API key or a JWT, and print its principal; - is standard input"
                )
            }
        }
    }

    /// The flags that only the commands of `token` have.
    static let flags = ["keys", "principal", "role", "expires"]
    /// The maximum number of bytes that are read from standard input.
    private static let inputBytesMax = 64 << 10

    package let verb: Verb
    /// The id to revoke, or the token to check.
    package private(set) var keyIDOrToken: String?
    /// The keys file; `nil` for the keys file of the configuration.
    package private(set) var keysFile: String?
    package private(set) var principal: String?
    package private(set) var role: String?
    package private(set) var expiry: String?

    /// Reads the words after `token`.
    init(_ words: [String]) throws(UsageError) {
        guard let first = words.first, let word = Verb(rawValue: first) else {
            throw UsageError(
                "token: the commands are "
                    + Verb.allCases.map(\.rawValue).joined(separator: ", ")
                    + "; see --help"
            )
        }
        self.verb = word
        switch word {
        case .create, .list: guard words.count == 1 else { throw usage }
        case .revoke, .check:
            guard words.count == 2 else { throw usage }
            keyIDOrToken = words[1]
        }
    }

    private var usage: UsageError { UsageError("usage: \(verb.helpLine.usage)") }

    mutating func set(_ flag: String, _ value: String) throws(UsageError) {
        let member: WritableKeyPath<TokenCommand, String?>
        switch flag {
        case "keys": member = \.keysFile
        case "principal" where verb == .create: member = \.principal
        case "role" where verb == .create: member = \.role
        case "expires" where verb == .create: member = \.expiry
        default: throw usage
        }
        guard self[keyPath: member] == nil else { throw .givenTwice(flag) }
        guard !value.isEmpty else {
            throw .disallowedValue(value, of: "--\(flag)", allowed: "some text")
        }
        self[keyPath: member] = value
    }

    /// Refuses a command without a required flag.
    func checkComplete() throws(UsageError) {
        guard verb != .create || (principal != nil && role != nil) else { throw usage }
    }

    /// Returns the command with the token from standard input, if ``keyIDOrToken`` is `-`. The
    /// token is then not in the history of the user's shell.
    package func readingInput() throws(UsageError) -> TokenCommand {
        guard verb == .check, keyIDOrToken == "-" else { return self }
        guard let bytes = FileReader.read(STDIN_FILENO, bytesMax: Self.inputBytesMax) else {
            throw UsageError("standard input can't be read: \(SystemError.text)")
        }
        var read = self
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        read.keyIDOrToken = String(decoding: line, as: UTF8.self)
        return read
    }
}
