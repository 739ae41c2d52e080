/// The command of a command line.
enum ServerCommand: Equatable {
    case serve, version, checkConfig, printConfig
    /// Prints the usage of the program, or of one of its commands.
    case help(HelpTopic)
    /// Checks if a running server is ready. The value is its URL; `nil` for the default URL.
    case health(String?)
    /// Shows the condition of a running server, once or repeatedly.
    case status(String?, isWatched: Bool)
    /// Runs a command about the history in the data directory.
    case history(HistoryCommand)
    /// Runs a command about credentials.
    case token(TokenCommand)
    /// Checks a policy file, or explains its permissions.
    case policy(PolicyCommand)
    /// Plays a script against a running server, or against a server that is started for it.
    case assert(file: String, url: String?)

    /// True if a script is played. A server that is started for it keeps no history.
    var isAssert: Bool { if case .assert = self { true } else { false } }

    /// True if the command serves no store and opens no history, so that the options need not fit
    /// together. Such a command is about credentials or the program alone, or sends requests to
    /// another server.
    var needsNoServer: Bool {
        switch self {
        case .token, .help, .version, .health, .status: true
        case .assert(_, let url): url != nil
        default: false
        }
    }

    /// True if the command sends requests to a running server, and may show it a credential.
    var asksServer: Bool {
        switch self {
        case .status: true
        case .assert(_, let url): url != nil
        default: false
        }
    }
}
