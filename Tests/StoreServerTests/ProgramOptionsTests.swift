import StoreActionCatalog
import StoreCore
import Testing

@testable import StoreCommandLine
@testable import StoreServer

private struct Mail: ProgramOptions {
    var secret = Secret()
    var attemptsMax = 3
    var copies: [String] = []

    static let options: [Option] = [
        .flag("hook-secret", "the secret of hooks").sets(\.secret, .secret(bytes: 4...8)),
        .flag("attempts-max", "how often mail is sent")
            .sets(\.attemptsMax, .number(1...10, "attempts")),
        .flag("copy", "who gets a copy").sets(each: \.copies, .text("NAME", bytes: 1...4)),
    ]

    func check() throws(ConfigurationError) {
        guard copies.count < attemptsMax else { throw ConfigurationError("too many copies") }
    }
}

private struct Room: Codable, Equatable { var count = 0 }

private let room = Server(state: Room(), actions: []) { (_: inout Room, _: any Action) in }
private let post = room.options(Mail.self)

/// The options of a program whose only option has a name of the test.
private enum Named {
    static func options(_ names: [String]) -> [ServerConfiguration.Option] {
        names.map { .flag($0, "a test").sets(\.history.stateFile, .file) }
    }
}

@Suite struct ProgramOptionsTests {
    private func read(
        _ arguments: [String],
        _ environment: [String: String] = [:],
        file: String? = nil
    ) throws(UsageError) -> ServerConfiguration {
        let reader = try ConfigurationReader<ServerConfiguration>(
            arguments: arguments,
            environment: environment,
            options: post.options,
            readFile: { _ in file.map { Array($0.utf8) } }
        )
        return reader.configuration
    }

    private func error(_ body: () throws -> Void) -> String {
        do { try body() } catch { return "\(error)" }
        return "no error"
    }

    @Test func `flags win over variables, and variables over the file`() throws {
        let file = #"{"attempts-max":4,"copy":["a","b"],"hook-secret":"from file"}"#
        let options = try read(
            ["--config", "a.json", "--copy", "c"],
            ["STORE_SERVER_ATTEMPTS_MAX": "5", "STORE_SERVER_HOOK_SECRET": "secret"],
            file: file
        )[Mail.self]
        #expect(options == Mail(secret: Secret("secret"), attemptsMax: 5, copies: ["c"]))
        #expect(
            try read([], ["STORE_SERVER_HOOK_SECRET_FILE": "a"], file: "abcdef\n")[Mail.self].secret
                == Secret("abcdef")
        )
    }

    @Test func `a bad value is refused with the allowed values, and a secret is not shown`() {
        #expect(
            error { _ = try read(["--attempts-max", "11"]) }
                == "--attempts-max: '11' is not allowed; allowed is a whole number of attempts "
                + "from 1 to 10"
        )
        let allowed = "this secret is not allowed; allowed is 4 to 8 bytes of text, "
        #expect(
            error { _ = try read(["--hook-secret-file", "a"], file: "abc") }
                == "--hook-secret-file: \(allowed)and this secret has 3"
        )
        #expect(
            error { _ = try read([], ["STORE_SERVER_HOOK_SECRET_FILE": "a"], file: "abc") }
                == "STORE_SERVER_HOOK_SECRET_FILE: \(allowed)and this secret has 3"
        )
    }

    @Test func `the flag of a secret takes a file`() throws {
        let flags = ["--hook-secret-file", "a"]
        let variable = ["STORE_SERVER_HOOK_SECRET": "variable"]
        #expect(try read(flags, variable, file: "secret\n")[Mail.self].secret == Secret("secret"))
        #expect(
            error { _ = try read(["--hook-secret", "secret"]) }
                == "--hook-secret: other users of the machine can read the flags of a process; "
                + "give --hook-secret-file with the path of a file"
        )
        #expect(
            error { _ = try read(flags + flags, file: "secret") }
                == "--hook-secret-file is given twice; it is allowed once"
        )
        #expect(error { _ = try read(flags) }.hasPrefix("--hook-secret-file: can't read 'a'; "))
    }

    @Test func `an option without an allowed default is required`() throws {
        var configuration = ServerConfiguration()
        #expect(
            error { try post.checkOwnOptions(configuration) }
                == "--hook-secret-file is required: give the flag, STORE_SERVER_HOOK_SECRET, "
                + "STORE_SERVER_HOOK_SECRET_FILE with the path of a file, or 'hook-secret' in the "
                + "file of --config; allowed is 4 to 8 bytes of text"
        )
        configuration[Mail.self].secret = Secret("secret")
        try post.checkOwnOptions(configuration)
        configuration[Mail.self].secret = Secret("a secret too long")
        #expect(error { try post.checkOwnOptions(configuration) }.hasSuffix("this secret has 17"))
    }

    @Test func `a program's value out of bounds, and options that do not fit, are refused`() {
        var configuration = ServerConfiguration()
        configuration[Mail.self] = Mail(secret: Secret("secret"), attemptsMax: 0)
        #expect(error { try post.checkOwnOptions(configuration) }.contains("'0' is not allowed"))
        configuration[Mail.self] = Mail(secret: Secret("secret"), attemptsMax: 1, copies: ["a"])
        #expect(error { try post.checkOwnOptions(configuration) } == "too many copies")
        #expect(throws: ConfigurationError("too many copies")) { _ = try post.start(configuration) }
    }

    @Test func `configurations are compared with the options of the program`() {
        var configuration = ServerConfiguration()
        #expect(configuration[Mail.self] == Mail())
        configuration[Mail.self] = Mail()
        #expect(configuration == ServerConfiguration())
        configuration[Mail.self].attemptsMax = 4
        #expect(configuration != ServerConfiguration())
    }

    @Test func `the printed configuration is a file for the program, without its secrets`() throws {
        let secret = ["STORE_SERVER_HOOK_SECRET": "secret"]
        let first = try read(["--copy", "a"], secret)
        let text = ConfigurationHelp.configurationText(first, options: post.options)
        #expect(text.contains(#""copy": ["a"]"#) && !text.contains("secret"))
        let second = try read(["--config", "a"], secret, file: text)
        #expect(second == first)
        #expect(!"\(first)".contains("\"secret\""))
    }

    @Test(arguments: [
        (["listen"], "that is a flag of the library"),
        (["health"], "that is a flag of the library"),
        (["keys"], "that is a flag of the library"),
        (["token"], "that is a flag of the library"),
        (["a", "b", "a"], "--a twice"),
        (["listen-file"], "variables clash with those of --listen:"),
        (["otlp-headers"], "variables clash with those of --otlp-headers-file:"),
        (["a", "a-file"], "variables clash with those of --a-file:"),
        (["Hook"], "allowed are at most 40 lowercase letters"),
        (["a--b"], "allowed are at most 40"), (["-a"], "allowed are at most 40"),
        ([""], "allowed are at most 40"), (["4a"], "allowed are at most 40"),
        (["ä"], "allowed are at most 40"), (["a b"], "allowed are at most 40"),
        ([String(repeating: "a", count: 41)], "allowed are at most 40"),
    ])
    func `a name that can't be used is refused`(names: [String], text: String) {
        let found = error {
            try ServerConfiguration.Option.checkNames(
                of: Named.options(names),
                beside: ServerConfiguration.options
            )
        }
        #expect(found.contains(text), "\(found)")
    }

    @Test func `stores of a process share options, but not names of options`() throws {
        struct Other: ProgramOptions {
            var count = 1
            static let options: [Option] = [
                .flag("attempts-max", "a test").sets(\.count, .number(1...2, "tests"))
            ]
        }
        try post.store(room.options(Mail.self), named: "other").checkOptionNames()
        #expect(
            error { try post.store(room.options(Other.self), named: "o").checkOptionNames() }
                == "this program declares the option --attempts-max twice; rename one"
        )
    }

    @Test func `an effect of a test sets the options like any dependency`() throws {
        let dependencies = Dependencies.unprepared.setting(Mail.self, to: Mail(attemptsMax: 7))
        #expect(try dependencies[Mail.self].attemptsMax == 7)
        #expect(throws: UnpreparedDependency.self) { try Dependencies.unprepared[Mail.self] }
    }

    @Test(arguments: [
        ("https://a.example", true), ("http://a:80/x?y=z", true), ("http://[::1]:8080/", true),
        ("http://", false), ("http:///x", false), ("ftp://a", false), ("a.example", false),
        ("http://u@a", false), ("http://a#b", false), ("http://a:0", false), ("http://a:b", false),
        ("http://a b", false), ("http://:80", false), ("", false), ("http://?x", false),
    ])
    func `a URL has a host, and neither user nor fragment`(text: String, isAllowed: Bool) {
        #expect((OptionForm.url.read(text) != nil) == isAllowed)
    }
}
