/// The subject of `--help`: a command, or the whole program.
struct HelpTopic: Equatable {
    /// The command; `nil` for all of the program.
    let word: String?

    static let all = HelpTopic(unchecked: nil)
    /// The commands, in the order of the alphabet.
    static let words =
        (HistoryCommand.Word.allCases.map(\.rawValue)
        + ["assert", "help", "policy", "status", "token"]).sorted()

    private init(unchecked word: String?) {
        self.word = word
    }

    /// - Throws: ``UsageError`` where the program has no such command.
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
    /// Finds out whether the words before the first flag, and that flag, ask for help.
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
