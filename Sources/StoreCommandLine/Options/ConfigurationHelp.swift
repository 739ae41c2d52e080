import StoreJSON

/// The output of `--help` and `--print-config`.
package enum ConfigurationHelp {
    /// A line of the help: a flag or a command with its arguments, and a description.
    typealias HelpLine = (usage: String, help: String)

    private static let assertUsage: HelpLine = (
        "assert FILE [--url URL] [--token-file FILE]",
        "run a script whose steps state every change that follows, and check the changes;\n"
            + "      without --url, the script runs against a new server of this program, which\n"
            + "      keeps nothing"
    )
    private static let statusUsage: HelpLine = (
        "status [URL] [--watch] [--token-file FILE]",
        "show whether the server takes requests, its version, and its queues; status 0\n"
            + "      if it takes requests"
    )
    private static let helpUsage: HelpLine = (
        "help [COMMAND]", "print the options of the program, or of one of its commands"
    )
    private static let dataFlag: HelpLine = ("--data DIR", "the directory of the history")
    private static let storeFlag: HelpLine = (
        "--store NAME", "the store, if the program has several; by default the store at /"
    )
    private static let ifNewFlag: HelpLine = (
        "--if-new",
        "with verify: pass at once if this very program has verified the history before, or "
            + "if there is no history"
    )
    private static let keysFlag: HelpLine = (
        "--keys FILE", "the keys file; without it, the file of --auth-keys"
    )
    private static let policyFlag: HelpLine = (
        "--policy FILE", "the policy to explain if FILE is absent"
    )
    private static let tokenFileFlag: HelpLine = (
        "--token-file FILE",
        "send the API key or JWT of this file; else that of "
            + "\(Credential.variable), or\n      of the file that \(Credential.variable)_FILE names"
    )
    private static let watchFlag: HelpLine = (
        "--watch", "show the status again every two seconds, with the rate of actions"
    )
    private static let assertFlags: [HelpLine] = [
        ("--url URL", "the server to ask: http://HOST:PORT, with the path of a store"),
        (
            "--as ROLE/NAME=FILE",
            "with --url: the file with the credential for steps \"as\" this principal; may be\n"
                + "      given several times"
        ),
    ]
    private static let commandFlags: [HelpLine] = [
        ("--config FILE", "read a JSON file whose members are named like the flags"),
        ("--check-config", "check the configuration and end"),
        ("--print-config", "print the configuration in force, as a file for --config, and end"),
        ("--health [URL]", "ask a running server whether it is ready; status 0 if it is"),
        ("-v, --version", "print the versions of the program and of the library, and end"),
        ("-h, --help", "print this help, or after a command the options of the command, and end"),
    ]
    private static let historyUsages = HistoryCommand.Verb.allCases.map(\.helpLine)
    private static let tokenUsages = TokenCommand.Verb.allCases.map(\.helpLine)

    /// Returns the help about a command, or the help about the whole program. The help about the
    /// program has the flag, the meaning and the default of each option.
    ///
    /// `ownOptions` are the options of the program itself, besides those of its configuration.
    package static func text<Configuration: CommandLineConfiguration>(
        of configuration: Configuration.Type,
        ownOptions: [ConfigurationOption<Configuration>] = [],
        defaults: Configuration = .defaults,
        program: String,
        about topic: HelpTopic
    ) -> String {
        guard let word = topic.commandName else {
            return text(of: configuration, ownOptions, defaults, program: program)
        }
        if let history = HistoryCommand.Verb(rawValue: word) {
            let flags = [dataFlag, storeFlag] + (history == .verify ? [ifNewFlag] : [])
            return commandText(program, [history.helpLine], flags)
        }
        return switch word {
        case "token": commandText(program, tokenUsages, [keysFlag])
        case "policy": commandText(program, PolicyCommand.usages, [policyFlag, storeFlag])
        case "assert": commandText(program, [assertUsage], [tokenFileFlag] + assertFlags)
        case "status": commandText(program, [statusUsage], [tokenFileFlag, watchFlag])
        default: commandText(program, [helpUsage], [])
        }
    }

    private static func text<Configuration: CommandLineConfiguration>(
        of configuration: Configuration.Type,
        _ ownOptions: [ConfigurationOption<Configuration>],
        _ defaults: Configuration,
        program: String
    ) -> String {
        let prefix = ConfigurationOptions.environmentPrefix
        let helpLine = { (option: ConfigurationOption<Configuration>) -> HelpLine in
            let standard = option.formatValues(defaults).joined(separator: ", ")
            let usage = option.flag + (option.placeholder.map { " \($0)" } ?? "")
            let end =
                option.isRequired
                ? " (required)" : option.isSecret || standard.isEmpty ? "" : " [\(standard)]"
            return (usage, option.help + end)
        }
        let ownOptionsText = entriesText(ownOptions.map(helpLine))
        let options = Configuration.options.map(helpLine)
        return """
            usage: \(program) [--flag value]...
                   \(program) backup FILE | export [FILE] | import FILE | verify [--data DIR]
                   \(program) token create | list | revoke ID | check TOKEN [--keys FILE]
                   \(program) policy check FILE | policy explain [FILE] --role ROLE ...
                   \(program) assert FILE [--url URL]
                   \(program) status [URL] [--watch]
                   \(program) help [COMMAND]

            Serves a store: POST /dispatch takes actions, GET /state and GET /events give the state.
            Flags win over environment variables (\(prefix)LISTEN for --listen,
            \(prefix)LISTEN_FILE for a file that has the value), and those
            win over the file given with --config.

            \(ownOptionsText.isEmpty ? "" : "Of \(program) itself:\n\n\(ownOptionsText)\nOf every store:\n\n")\
            \(entriesText(options + commandFlags))
            With the history in the data directory:

            \(entriesText(historyUsages + [storeFlag, ifNewFlag]))
            With credentials:

            \(entriesText(tokenUsages + [keysFlag]))
            With a policy, whose names are checked against those of this program's stores:

            \(entriesText(PolicyCommand.usages))
            With a store over HTTP:

            \(entriesText([assertUsage, statusUsage, tokenFileFlag]))
            """
    }

    private static func commandText(_ program: String, _ usages: [HelpLine], _ flags: [HelpLine])
        -> String
    {
        let beginnings = ["usage: "] + Array(repeating: "       ", count: usages.count - 1)
        let usageText = zip(beginnings, usages).map { "\($0)\(program) \($1.usage)\n" }.joined()
        return usageText + "\n" + entriesText(usages)
            + (flags.isEmpty ? "" : "\n" + entriesText(flags))
    }

    private static func entriesText(_ entries: [HelpLine]) -> String {
        entries.map { "  \($0.usage)\n      \($0.help)\n" }.joined()
    }

    /// Returns the configuration as the text of a file for `--config`. The text has no secrets.
    package static func configurationText<Configuration: CommandLineConfiguration>(
        _ configuration: Configuration,
        options: [ConfigurationOption<Configuration>] = Configuration.options
    ) -> String {
        let members: [String] = options.compactMap { option in
            if option.isSecret || option.isMissing(in: configuration) { return nil }
            let values = option.formatValues(configuration)
            // An option without a value and without a default is left out.
            if values.isEmpty, !option.isRepeatable { return nil }
            let list = values.map(JSONText.quoted).joined(separator: ", ")
            return "  \(JSONText.quoted(option.name)): "
                + (option.isRepeatable ? "[\(list)]" : list)
        }
        return "{\n" + members.joined(separator: ",\n") + "\n}\n"
    }
}
