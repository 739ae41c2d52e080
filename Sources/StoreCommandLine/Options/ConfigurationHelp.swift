import StoreWire

/// The output of `--help` and `--print-config`.
enum ConfigurationHelp<Configuration: CommandLineConfiguration> {
    /// The help text, with each option's flag, meaning and default.
    static func text(program: String) -> String {
        let fresh = Configuration.defaults
        var text = """
            usage: \(program) [--flag value]...
                   \(program) backup FILE | export [FILE] | import FILE | verify [--data DIR]
                   \(program) token create | list | revoke ID | check TOKEN [--keys FILE]
                   \(program) policy check FILE | policy explain [FILE] --role ROLE ...
                   \(program) assert FILE [--url URL]
                   \(program) status [URL] [--watch]

            Serves a store: POST /dispatch takes actions, GET /state and GET /events give the state.
            Flags win over environment variables (\(ConfigurationOptions.environmentPrefix)LISTEN for --listen,
            \(ConfigurationOptions.environmentPrefix)LISTEN_FILE for a file that has the value), and those
            win over the file given with --config.


            """
        for option in Configuration.options {
            let flag = "--\(option.name)" + (option.placeholder.map { " \($0)" } ?? "")
            let standard = option.show(fresh).joined(separator: ", ")
            text += "  \(flag)\n      \(option.help)"
            text += standard.isEmpty ? "\n" : " [\(standard)]\n"
        }
        for (flag, help) in commands {
            text += "  \(flag)\n      \(help)\n"
        }
        text += "\nWith the history in the data directory:\n\n"
        for word in HistoryCommand.Word.allCases {
            text += "  \(word.usage)\n      \(word.help)\n"
        }
        text += """
              --store NAME
                  of a program with several stores: which history it is, without it that of the one at /

            With credentials:


            """
        for word in TokenCommand.Word.allCases {
            text += "  \(word.usage)\n      \(word.help)\n"
        }
        text += """

              --keys FILE
                  the keys file, without it that of --auth-keys

            With a policy, whose names are checked against those of this program's stores:


            """
        for (usage, help) in PolicyCommand.usages { text += "  \(usage)\n      \(help)\n" }
        text += """

            With a store over HTTP:

              assert FILE
                  play a script of steps, which states every change that follows; --url says with which
                  server, without it one of this program is started that keeps nothing
              status [URL]
                  show whether it takes requests, its version, and what waits; status 0 if it does.
                  --watch shows it again every two seconds, with the rate of actions

            """
        return text
    }

    /// The configuration in force, as a file for `--config`.
    static func print(_ configuration: Configuration) -> String {
        let members: [String] = Configuration.options.compactMap { option in
            let values = option.show(configuration)
            // What is not chosen, and has no default, is not there.
            if values.isEmpty, !option.repeats { return nil }
            let list = values.map(JSONText.quoted).joined(separator: ", ")
            return "  \(JSONText.quoted(option.name)): "
                + (option.repeats ? "[\(list)]" : list)
        }
        return "{\n" + members.joined(separator: ",\n") + "\n}\n"
    }

    private static var commands: [(String, String)] {
        [
            ("--config FILE", "read a JSON file whose members are named like the flags"),
            ("--check-config", "check the configuration and end"),
            ("--print-config", "print the configuration in force, as a file for --config, and end"),
            ("--health [URL]", "ask a running server whether it is ready; status 0 if it is"),
            ("--version", "print the version and end"),
            ("--help", "print this and end"),
        ]
    }
}
