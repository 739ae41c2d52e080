/// What the command line asks for.
enum ServerCommand: Equatable {
    case serve, version, checkConfig, printConfig
    /// Print what the program, or one of its commands, takes.
    case help(HelpTopic)
    /// Ask a running server whether it is ready; the value is where, if not the default.
    case health(String?)
    /// Show how a running server goes, once or again and again.
    case status(String?, isWatched: Bool)
    /// Do something with the history in the data directory.
    case history(HistoryCommand)
    /// Do something with credentials.
    case token(TokenCommand)
    /// Check a policy file, or explain what it allows.
    case policy(PolicyCommand)
    /// Play a script against a running server, or one that is started for it.
    case assert(file: String, url: String?)

    /// Whether a script is played, for which a server of its own keeps nothing.
    var isAssert: Bool { if case .assert = self { true } else { false } }

    /// True if nothing is served and no history is opened, so that the configuration as a whole
    /// need not fit: it is about credentials or the program alone, or asks another server.
    var needsNoServer: Bool {
        switch self {
        case .token, .help, .version, .health, .status: true
        case .assert(_, let url): url != nil
        default: false
        }
    }

    /// True if it asks a server that runs, and may show it a credential.
    var asksServer: Bool {
        switch self {
        case .status: true
        case .assert(_, let url): url != nil
        default: false
        }
    }
}
