/// The subject of `--help`: a command, or the whole program.
struct HelpTopic: Equatable {
    /// The command; `nil` for the whole program.
    let word: String?

    static let all = HelpTopic(unchecked: nil)
    /// The commands, in alphabetical order.
    static let words =
        (HistoryCommand.Word.allCases.map(\.rawValue)
        + ["assert", "help", "policy", "status", "token"]).sorted()

    private init(unchecked word: String?) {
        self.word = word
    }

    /// Makes the topic for a command, or, for `nil`, the whole program.
    ///
    /// - Throws: ``UsageError`` if the program has no such command.
    init(_ word: String?) throws(UsageError) {
        if let word, !Self.words.contains(word) { throw Self.unknown(word) }
        self.word = word
    }

    static func unknown(_ word: String) -> UsageError {
        UsageError(
            "there is no command '\(word)'; there are " + words.joined(separator: ", ")
                + ", and without one the store is served"
        )
    }
}

extension HelpTopic {
    /// Makes the topic if the words before the first flag, or that flag, ask for help; else returns
    /// `nil`.
    ///
    /// - Throws: ``UsageError`` if the program has no such command.
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

    /// The spellings of the flag for help.
    static let flags = ["--help", "-h"]
}
