/// What the command line asks for.
enum ServerCommand: Equatable {
    case serve, help, version, checkConfig, printConfig
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

    /// Whether it is about credentials alone: nothing is served, and no history is opened.
    var isToken: Bool { if case .token = self { true } else { false } }
}
