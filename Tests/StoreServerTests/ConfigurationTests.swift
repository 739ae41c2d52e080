import StoreAdmission
import StoreTelemetry
import Testing

@testable import StoreActionCatalog
@testable import StoreCommandLine
@testable import StoreHTTP
@testable import StoreServer

@Suite struct ConfigurationTests {
    private func read(
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        file: String? = nil
    ) throws(UsageError) -> ConfigurationReader<ServerConfiguration> {
        try ConfigurationReader(arguments: arguments, environment: environment) { path in
            path == "file.json" ? file.map { Array($0.utf8) } : nil
        }
    }

    @Test func `flags win over variables, and variables over the file`() throws {
        let file = #"{"body-max": 1000, "uri-max": 1000, "depth-max": 10}"#
        let configuration = try read(
            ["--config", "file.json", "--body-max=3000"],
            environment: ["STORE_SERVER_BODY_MAX": "2000", "STORE_SERVER_URI_MAX": "2000"],
            file: file
        ).configuration
        #expect(configuration.http.bodyBytesMax == 3_000)
        #expect(configuration.http.uriBytesMax == 2_000)
        #expect(configuration.http.bodyDepthMax == 10)
    }

    @Test(arguments: [
        (["--bodymax", "1"], "did you mean --body-max"), (["--body-max", "x"], "from 64 to"),
        (["--body-max", "1"], "from 64 to"), (["--body-max"], "needs a value"),
        (["serve"], "there is no command"), (["--listen", "example.org:80"], "IPV4:PORT"),
        (["--analytics", "syslog"], "stdout, file:PATH or off"),
        (["--ephemeral=maybe"], "true or false"), (["--config", "none.json"], "can't read"),
        (["--body-max", "100", "--body-max", "200"], "given twice"),
    ])
    func `a mistake is a line with the allowed values`(arguments: [String], hint: String) {
        #expect {
            try read(arguments)
        } throws: {
            let line = "\($0)"
            return line.contains(hint) && !line.contains("\n")
        }
    }

    @Test func `errors that have no exit status of their own end a process with 1`() {
        #expect(ExitStatus(of: UsageError("")) == .usage)
        #expect(ExitStatus(of: CommandFailure("")) == .failure)
    }

    @Test func `the printed configuration is a file that gives the same configuration`() throws {
        let first = try read([
            "--listen", "127.0.0.1:1", "--listen", "[::1]:2", "--allowed-host", "a.example",
            "--analytics", "file:/tmp/x", "--ephemeral",
        ]).configuration
        let second = try read(
            ["--config", "file.json"],
            file: ConfigurationHelp.configurationText(first)
        ).configuration
        #expect(second == first)
    }

    @Test func `0 of an operator is an absent bound of a program`() throws {
        let names = [
            "retain-age", "retain-size", "analytics-recent", "connections-per-address-max",
            "memory-max", "buffers-max", "stream-lifetime", "rate-requests",
        ]
        let configuration = try read(names.flatMap { ["--\($0)", "0"] }).configuration
        #expect(configuration.history.ageMax == nil && configuration.history.bytesMax == nil)
        #expect(
            configuration.analytics.recentEventsMax == nil && configuration.web.requestRate == nil
        )
        #expect(configuration.http.connectionsPerAddressMax == nil)
        #expect(configuration.memoryBytesMax == nil && configuration.http.buffersBytesMax == nil)
        #expect(configuration.streams.lifetimeMax == nil)
        for name in names {
            #expect(ServerConfiguration.option(name)?.formatValues(configuration) == ["0"])
        }
    }

    @Test func `a program's value that no flag could set has the error of the flag`() {
        let mistakes: [(line: String, make: (inout ServerConfiguration) -> Void)] = [
            (
                "--heartbeat: '1.5 seconds' is not allowed; allowed is a whole number of seconds "
                    + "from 1 to 3600", { $0.streams.heartbeat = .milliseconds(1_500) }
            ),
            (
                "--retain-age: the text '0' stands for an absent value; in a program, use nil",
                { $0.history.ageMax = .zero }
            ),
            (
                "--mailbox-max: '0' is not allowed; allowed is a whole number of actions "
                    + "from 1 to 16777216", { $0.actions.mailboxMax = 0 }
            ),
            (
                "--analytics: 'file:' is not allowed; allowed is stdout, file:PATH or off",
                { $0.analytics.destination = .file("") }
            ),
            (
                "--allowed-host: 'a b' is not allowed; allowed is a host name or address "
                    + "without a port", { $0.web.allowedHosts = ["store.example", "a b"] }
            ),
        ]
        for (line, make) in mistakes {
            var configuration = ServerConfiguration()
            make(&configuration)
            #expect(throws: ConfigurationError(line)) { try configuration.check() }
        }
        #expect(throws: Never.self) { try ServerConfiguration().check() }
    }

    @Test func `variables that a cluster sets are no error`() throws {
        let reader = try read(environment: [
            "STORE_SERVER_PORT": "tcp://10.0.0.1:80", "PATH": "/bin",
        ])
        #expect(reader.unknownVariables == ["STORE_SERVER_PORT"])
    }

    @Test func `only loopback may be listened on without an explicit permission`() throws {
        #expect(throws: ConfigurationError.self) {
            try read(["--listen", "0.0.0.0:80"]).configuration.check()
        }
        try read(["--listen", "0.0.0.0:80", "--allow-anonymous"]).configuration.check()
        try read(["--listen", "unix:/tmp/store.sock"]).configuration.check()
    }

    @Test func `few descriptors leave room for connections first`() throws {
        var configuration = ServerConfiguration()
        configuration.http.connectionsMax = 4_096
        let fitted = try configuration.fitted(toDescriptors: 4_096, .standardError)
        #expect(fitted.http.connectionsMax == 1_024)
        #expect(fitted.http.connectionsMax + fitted.streams.countMax + 96 <= 4_096)
        #expect(try configuration.fitted(toDescriptors: 20_000, .standardError) == configuration)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.0.0.1:8080", true), ("localhost:1", true), ("LOCALHOST", true),
        ("[::1]:8080", true), ("app.localhost", true), ("store.example:80", true),
        ("evil.example", false), ("127.0.0.1.evil.example", false), ("127.0.0.1:x", false),
        ("localhost.evil.example", false), ("", false), ("0x7f.0.0.1", false),
        ("[::1]x80", false), ("[::1", false), ("[::1]\u{301}:80", false), ("::1", false),
        ("[127.0.0.1]", false), ("[localhost]", false), ("::1:80", false),
        ("localhost:1:2", false), ("localhost:\u{301}80", false), ("localhost:", true),
    ])
    func `the host rule lets loopback and named hosts in`(host: String, allowed: Bool) {
        #expect(HostRule(listening: [], additional: ["store.example"]).allows(host) == allowed)
    }
}
