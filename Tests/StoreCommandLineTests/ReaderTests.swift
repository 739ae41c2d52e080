import Testing

@testable import StoreCommandLine

/// The options of a program; the command line itself has none.
private struct Kettle: CommandLineConfiguration, Equatable {
    var degrees = 100
    var whistles = false

    static var defaults: Kettle { Kettle() }
    static var options: [ConfigurationOption<Kettle>] {
        [
            .flag("degrees", "how hot").sets(\.degrees, .number(20...100, "degrees")),
            .flag("whistle", "whistle at the end").sets(\.whistles, .toggle),
        ]
    }
}

@Suite struct ReaderTests {
    private func read(_ arguments: String...) throws(UsageError) -> ConfigurationReader<Kettle> {
        try ConfigurationReader(arguments: arguments, environment: [:], readFile: { _ in nil })
    }

    @Test func `options are declared by the program`() throws {
        let kettle = try read("--degrees", "80", "--whistle")
        #expect(kettle.configuration == Kettle(degrees: 80, whistles: true))
        #expect(kettle.command == .serve)
        #expect(throws: UsageError("unknown flag --listen; --help lists all")) {
            try read("--listen", "127.0.0.1:0")
        }
    }

    @Test(arguments: [
        (["--config", "a", "--config", "b"], "--config is given twice; it is allowed once"),
        (["--check-config=a"], "--check-config takes no value; see --help"),
        (["--print-config=a"], "--print-config takes no value; see --help"),
        (
            ["token", "create", "--principle", "a"],
            "unknown flag --principle; did you mean --principal? (--help lists all)"
        ),
        (
            ["policy", "explain", "--paylod", "a"],
            "unknown flag --paylod; did you mean --payload? (--help lists all)"
        ),
    ])
    func `a flag that can't be used is refused in words`(arguments: [String], text: String) {
        #expect(throws: UsageError(text)) {
            try ConfigurationReader<Kettle>(arguments: arguments, environment: [:]) { _ in nil }
        }
    }

    @Test func `the help has each option with its default`() {
        let help = ConfigurationHelp.text(
            of: Kettle.self,
            program: "kettle",
            about: HelpTopic(commandName: nil)
        )
        #expect(help.contains("usage: kettle "))
        #expect(help.contains("  --degrees N\n      how hot, in degrees (20...100) [100]\n"))
    }
}
