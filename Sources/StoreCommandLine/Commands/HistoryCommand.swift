/// A command for the history of a store. The command uses the history without a server.
package struct HistoryCommand: Equatable {
    package enum Verb: String, CaseIterable {
        case backup, export, forget, `import`, verify

        /// The usage of the command, and its description, for `--help`.
        var helpLine: ConfigurationHelp.HelpLine {
            switch self {
            case .backup:
                ("backup FILE", "copy the history into a new file, also while a server uses it")
            case .export:
                (
                    "export [FILE]",
                    "write the actions as JSON lines to FILE, or to standard output"
                )
            case .forget:
                (
                    "forget NAME",
                    "make a user's personal values unreadable; - reads names from standard input"
                )
            case .import:
                (
                    "import FILE",
                    "begin a history with the actions of exported lines; - is standard input"
                )
            case .verify:
                (
                    "verify",
                    "check every record and snapshot, replay all actions with this program, and "
                        + "compare the states"
                )
            }
        }
    }

    package let verb: Verb
    /// The file, or the name of the user for `forget`.
    package let fileOrUserName: String?
    /// The name of the store with the history; `nil` for the store at `/`.
    package var store: String?
    /// True if `verify` skips a directory without a history, and a history that this program has
    /// already verified.
    package var skipsVerifiedHistory = false

    /// Reads the command and its file.
    package init(_ word: String, file: String?) throws(UsageError) {
        guard let known = Verb(rawValue: word) else { throw HelpTopic.unknownCommandError(word) }
        switch known {
        case .backup, .forget, .import:
            if file == nil { throw UsageError("usage: \(known.helpLine.usage)") }
        case .verify:
            if let file {
                throw UsageError("verify takes no '\(file)'; --data names the history")
            }
        case .export:
            break
        }
        self.verb = known
        self.fileOrUserName = file
    }
}

/// The reason why a command failed.
package struct CommandFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
