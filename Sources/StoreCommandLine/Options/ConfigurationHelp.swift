import StoreJSON

/// The output of `--help` and `--print-config`.
enum ConfigurationHelp<Configuration: CommandLineConfiguration> {
    /// Returns the help about the program, with each option's flag, meaning and default, or the
    /// help about one command.
    static func text(program: String, about topic: HelpTopic) -> String {
        guard let word = topic.word else { return text(program: program) }
        if let history = HistoryCommand.Word(rawValue: word) {
            let flags = historyFlags + (history == .verify ? [ifNew] : [])
            return command(program, [(history.usage, history.help)], flags)
        }
        switch word {
        case "token":
            let usages = TokenCommand.Word.allCases.map { ($0.usage, $0.help) }
            return command(program, usages, tokenFlags)
        case "policy": return command(program, PolicyCommand.usages, policyFlags)
        case "assert": return command(program, [assertUsage], serverFlags.dropLast(1) + assertFlags)
        case "status": return command(program, [statusUsage], serverFlags)
        default: return command(program, [helpUsage], [])
        }
    }

    private static func text(program: String) -> String {
        let fresh = Configuration.defaults
        var text = """
            usage: \(program) [--flag value]...
                   \(program) backup FILE | export [FILE] | import FILE | verify [--data DIR]
                   \(program) token create | list | revoke ID | check TOKEN [--keys FILE]
                   \(program) policy check FILE | policy explain [FILE] --role ROLE ...
                   \(program) assert FILE [--url URL]
                   \(program) status [URL] [--watch]
                   \(program) help [COMMAND]

            Serves a store: POST /dispatch takes actions, GET /state and GET /events give the state.
            Flags win over environment variables (\(ConfigurationOptions.environmentPrefix)LISTEN for --listen,
            \(ConfigurationOptions.environmentPrefix)LISTEN_FILE for a file that has the value), and those
            win over the file given with --config.


            """
        for option in Configuration.options {
            let standard = option.show(fresh).joined(separator: ", ")
            let help = option.help + (standard.isEmpty ? "" : " [\(standard)]")
            text += entry("--\(option.name)" + (option.placeholder.map { " \($0)" } ?? ""), help)
        }
        text += entries(commands)
        text += "\nWith the history in the data directory:\n\n"
        text += entries(HistoryCommand.Word.allCases.map { ($0.usage, $0.help) })
        text += entries(historyFlags.dropFirst() + [ifNew])
        text += "\nWith credentials:\n\n"
        text += entries(TokenCommand.Word.allCases.map { ($0.usage, $0.help) } + tokenFlags)
        text +=
            "\nWith a policy, whose names are checked against those of this program's stores:\n\n"
        text += entries(PolicyCommand.usages)
        text += "\nWith a store over HTTP:\n\n"
        text += entries([assertUsage, statusUsage] + serverFlags.dropLast(1))
        return text
    }

    /// Returns the help about one command.
    private static func command(
        _ program: String,
        _ usages: [(String, String)],
        _ flags: [(String, String)]
    ) -> String {
        let beginnings = ["usage: "] + Array(repeating: "       ", count: usages.count - 1)
        let first = zip(beginnings, usages).map { "\($0)\(program) \($1.0)\n" }.joined()
        return first + "\n" + entries(usages) + (flags.isEmpty ? "" : "\n" + entries(flags))
    }

    private static func entries(_ entries: [(String, String)]) -> String {
        entries.map { entry($0, $1) }.joined()
    }

    private static func entry(_ usage: String, _ help: String) -> String {
        "  \(usage)\n      \(help)\n"
    }

    private static var assertUsage: (String, String) {
        (
            "assert FILE [--url URL] [--token-file FILE]",
            "play a script of steps, which states every change that follows; --url names the\n"
                + "      server, else a server of this program is started, which keeps nothing"
        )
    }

    private static var statusUsage: (String, String) {
        (
            "status [URL] [--watch] [--token-file FILE]",
            "show if the server takes requests, its version, and its queues; status 0 if it does"
        )
    }

    private static var helpUsage: (String, String) {
        ("help [COMMAND]", "print the options of the program, or of one of its commands")
    }

    private static var historyFlags: [(String, String)] {
        [
            ("--data DIR", "the directory of the history"),
            ("--store NAME", "the store, of a program with several; else the store at /"),
        ]
    }

    private static var ifNew: (String, String) {
        (
            "--if-new",
            "with verify: pass at once if this very program has verified the history before, or "
                + "if there is none"
        )
    }

    private static var tokenFlags: [(String, String)] {
        [("--keys FILE", "the keys file, else that of --auth-keys")]
    }

    private static var policyFlags: [(String, String)] {
        [
            ("--policy FILE", "the policy to explain, without FILE"),
            ("--store NAME", "the store, of a program with several; else the store at /"),
        ]
    }

    private static var serverFlags: [(String, String)] {
        [
            (
                "--token-file FILE",
                "send the API key or JWT of this file; else that of "
                    + "\(Credential.variable), or\n      of the file that \(Credential.variable)_FILE names"
            ),
            ("--watch", "show the status again every two seconds, with the rate of actions"),
        ]
    }

    private static var assertFlags: [(String, String)] {
        [
            ("--url URL", "the server to ask: http://HOST:PORT, with the path of a store"),
            (
                "--as ROLE/NAME=FILE",
                "with --url: the credential of steps \"as\" this principal; may be given again"
            ),
        ]
    }

    /// Returns the configuration in force, as a file for `--config`.
    static func print(_ configuration: Configuration) -> String {
        let members: [String] = Configuration.options.compactMap { option in
            let values = option.show(configuration)
            // An option without a value and without a default is left out.
            if values.isEmpty, !option.repeats { return nil }
            let list = values.map(JSONText.quoted).joined(separator: ", ")
            return "  \(JSONText.quoted(option.name)): " + (option.repeats ? "[\(list)]" : list)
        }
        return "{\n" + members.joined(separator: ",\n") + "\n}\n"
    }

    private static var commands: [(String, String)] {
        [
            ("--config FILE", "read a JSON file whose members are named like the flags"),
            ("--check-config", "check the configuration and end"),
            ("--print-config", "print the configuration in force, as a file for --config, and end"),
            ("--health [URL]", "ask a running server whether it is ready; status 0 if it is"),
            ("-v, --version", "print the versions of the program and of the library, and end"),
            ("-h, --help", "print this, or behind a command its options, and end"),
        ]
    }
}
