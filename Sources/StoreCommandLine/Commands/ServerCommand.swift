package enum ServerCommand: Equatable {
    case serve, version, checkConfig, printConfig
    /// Prints the help of the program, or of a command.
    case help(HelpTopic)
    /// Checks if a running server is ready. The value is the URL of the server; `nil` for the
    /// default URL.
    case health(String?)
    /// Shows the condition of the running server at this URL, or at the default URL if the value is
    /// `nil`. If `isWatched`, repeats the report until the process ends.
    case status(String?, isWatched: Bool)
    case history(HistoryCommand)
    case token(TokenCommand)
    case policy(PolicyCommand)
    /// Plays a script against a running server, or against a server that is started for the script.
    case assert(file: String, url: String?)

    /// True if the command plays a script.
    package var isAssert: Bool { if case .assert = self { true } else { false } }

    /// True if the options are not checked, because the command neither serves a store nor opens a
    /// history. Such a command is about credentials or the program, or sends requests to another
    /// server.
    package var skipsConfigurationCheck: Bool {
        switch self {
        case .token, .help, .version, .health, .status: true
        case .assert(_, let url): url != nil
        default: false
        }
    }

    /// True if the command sends requests to a running server, and may have a credential for these
    /// requests.
    var sendsCredential: Bool {
        switch self {
        case .status: true
        case .assert(_, let url): url != nil
        default: false
        }
    }
}

/// The subject of `--help`: a command, or the whole program.
package struct HelpTopic: Equatable {
    /// The command; `nil` for the whole program.
    let commandName: String?

    /// The commands, in alphabetical order.
    static let commandNames =
        (HistoryCommand.Verb.allCases.map(\.rawValue)
        + ["assert", "help", "policy", "status", "token"]).sorted()

    static func unknownCommandError(_ word: String) -> UsageError {
        UsageError(
            "there is no command '\(word)'; the commands are "
                + commandNames.joined(separator: ", ")
                + "; without a command, the program serves the store"
        )
    }
}

extension HelpTopic {
    /// Makes the topic for a command, or for the whole program if `word` is `nil`. Throws if the
    /// program has no such command.
    init(_ word: String?) throws(UsageError) {
        if let word, !Self.commandNames.contains(word) { throw Self.unknownCommandError(word) }
        self.commandName = word
    }

    /// Makes the topic if the first word is `help`, or if the first flag is a flag for help.
    /// Returns `nil` otherwise.
    init?(asking arguments: [String]) throws(UsageError) {
        let words = arguments.prefix { !$0.hasPrefix("-") || $0 == "-" }
        let flag = arguments.dropFirst(words.count).first
        if let flag, Self.flags.contains(flag) {
            try self.init(words.first)
        } else if words.first == "help" {
            try self.init(words.dropFirst().first)
        } else {
            return nil
        }
    }

    static let flags = ["--help", "-h"]
}
