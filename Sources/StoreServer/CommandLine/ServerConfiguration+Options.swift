import StoreAdmission
package import StoreCommandLine
import StoreHTTP
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreJournalSQLite
import StoreTelemetry
import StoreWire

extension ServerConfiguration: CommandLineConfiguration {
    package static let options: [Option] =
        place + authenticationOptions + web + history + analyticsOptions + logOptions
        + traceOptions + limits + times

    package static var defaults: ServerConfiguration {
        var defaults = ServerConfiguration()
        defaults.analytics = .stdout
        let telemetry = OpenTelemetryVariables(ProcessEnvironment.all)
        defaults.otlpEndpoint = telemetry.endpoint
        defaults.otlpService = telemetry.service
        let passed = InheritedSocket.passed(in: ProcessEnvironment.all)
        if !passed.isEmpty { defaults.listen = passed.map { "fd:\($0)" } }
        return defaults
    }

    package typealias Option = ConfigurationOption<ServerConfiguration>

    private static let place: [Option] = [
        .list(
            "listen",
            "ADDRESS",
            \.listen,
            help: "where to listen: 127.0.0.1:8080, [::1]:8080, unix:/path or fd:3",
            check: { $0.hasPrefix("fd:") || ListenAddress($0) != nil ? nil : ListenAddress.allowed }
        ),
        .list(
            "admin-listen",
            "ADDRESS",
            \.adminListen,
            help: "where operators connect, apart from clients: /metrics, /livez, /readyz, /debug",
            check: { ListenAddress($0) == nil ? ListenAddress.allowed : nil }
        ),
        .flag(
            "allow-anonymous",
            \.allowAnonymous,
            help: "listen beyond loopback without a login"
        ),
        .file(
            "policy",
            \.policyFile,
            help: "a JSON file with each role's rights; see 'policy check' and 'policy explain'"
        ),
        .list(
            "allowed-host",
            "HOST",
            \.allowedHosts,
            help: "a further name that the Host header may have",
            check: { HostRule.isHost($0) ? nil : "a host name or address without a port" }
        ),
        .flag(
            "debug-routes",
            \.debugRoutes,
            help: "serve /debug/subscriptions, /debug/middleware, /debug/interceptors and "
                + "/debug/commands to operators"
        ),
        .flag(
            "operator-reads",
            \.operatorReads,
            help: "show the slices of all sessions to clients without a session"
        ),
        .choice(
            "clock",
            "WHICH",
            \.clock,
            help: "the clock of effects: system, or test, which POST /test/clock/advance moves"
        ),
    ]

    private static let history: [Option] = [
        .text("data", "DIR", \.dataDirectory, help: "the directory of the history"),
        .flag("ephemeral", \.ephemeral, help: "keep history in memory; a restart begins anew"),
        .flag(
            "forget-clients",
            \.forgetClients,
            help: "keep no client's address and user agent with its actions"
        ),
        .flag(
            "accept-data-loss",
            \.acceptDataLoss,
            help: "keep the intact part of a damaged history, and begin a new history with it"
        ),
        .file(
            "state-file",
            \.stateFile,
            help: "begin a history with the state in this JSON file; an existing history goes on"
        ),
        .number(
            "history-max",
            \.historyMax,
            in: 1...10_000_000,
            unit: "actions",
            help: "how much history --ephemeral keeps"
        ),
        .number(
            "retain-age",
            \.retainSeconds,
            in: 0...3_153_600_000,
            unit: "seconds",
            help: "how long history is kept, 0 for ever"
        ),
        .number(
            "retain-size",
            \.retainBytes,
            in: 0...1 << 50,
            unit: "bytes",
            help: "how much history is kept, 0 for all"
        ),
        .number(
            "snapshot-every",
            \.snapshotRecords,
            in: 1...10_000_000,
            unit: "actions",
            help: "how often a snapshot of the state is kept, for a fast start"
        ),
    ]

    private static let analyticsOptions: [Option] = [
        Option(
            name: "analytics",
            placeholder: "WHERE",
            help: "where analytics lines go: stdout, file:PATH or off",
            apply: { configuration, values, origin throws(UsageError) in
                for value in values {
                    switch value {
                    case "stdout": configuration.analytics = .stdout
                    case "off": configuration.analytics = .off
                    case let file where file.hasPrefix("file:") && file.utf8.count > 5:
                        configuration.analytics = .file(String(file.dropFirst(5)))
                    default:
                        throw .value(value, of: origin, allowed: "stdout, file:PATH or off")
                    }
                }
            },
            show: { [$0.analytics.description] }
        ),
        .text(
            "analytics-source",
            "URI",
            \.analyticsSource,
            help: "the CloudEvents source of every analytics line",
            check: { URIReference.isValid($0) ? nil : URIReference.allowed }
        ),
        .number(
            "analytics-recent",
            \.analyticsRecent,
            in: 0...RecentAnalytics.countCeiling,
            unit: "events",
            help: "how many of the last events GET /analytics shows to operators, 0 for no route"
        ),
    ]

    private static let logOptions: [Option] = [
        .choice(
            "log-format",
            "FORMAT",
            \.logFormat,
            help: "how log lines are written: text or json"
        ),
        .choice(
            "log-level",
            "LEVEL",
            \.logLevel,
            help: "the lowest level to log: debug, info, warning or error; SIGHUP reads it again"
        ),
        .flag(
            "access-log",
            \.accessLog,
            help: "write a line to the log for each request, and for each stream at its end"
        ),
        .flag(
            "log-actions",
            \.logActions,
            help: "write a line to the log for each applied action, without its payload"
        ),
        .list(
            "log-exclude",
            "TYPE",
            \.logExcluded,
            help: "an action that --log-actions leaves out, by its wire name",
            check: { $0.isEmpty ? "an action's wire name" : nil }
        ),
    ]

    private static let limits: [Option] = [
        .number(
            "headers-max",
            \.headersBytesMax,
            in: 1 << 10...1 << 20,
            unit: "bytes",
            help: "the most that request line and headers may take"
        ),
        .number(
            "uri-max",
            \.uriBytesMax,
            in: 64...1 << 20,
            unit: "bytes",
            help: "the longest request target"
        ),
        .number(
            "body-max",
            \.bodyBytesMax,
            in: 64...SQLiteJournal.fieldBytesMax,
            unit: "bytes",
            help: "the largest request body; no more than one record of history can hold"
        ),
        .number(
            "depth-max",
            \.depthMax,
            in: 2...JSONLimits.depthCeiling,
            unit: "levels",
            help: "how deep JSON may nest"
        ),
        .number(
            "batch-max",
            \.batchMax,
            in: 1...JSONSchema.batchMax,
            unit: "actions",
            help: "the most actions in one array"
        ),
        .number(
            "mailbox-max",
            \.mailboxMax,
            in: 1...1 << 24,
            unit: "actions",
            help: "the most actions that wait before dispatch answers 503"
        ),
        .number(
            "connections-max",
            \.connectionsMax,
            in: 1...1_000_000,
            unit: "connections",
            help: "the most connections that carry requests"
        ),
        .number(
            "connections-per-address-max",
            \.connectionsPerAddressMax,
            in: 0...1_000_000,
            unit: "connections",
            help: "the most from one address that is not loopback, 0 for a quarter of all"
        ),
        .number(
            "streams-max",
            \.streamsMax,
            in: 0...1_000_000,
            unit: "streams",
            help: "the most open streams"
        ),
        .number(
            "memory-max",
            \.memoryBytesMax,
            in: 0...1 << 50,
            unit: "bytes",
            help: "memory at which slow readers are cut off, 0 for the control group's bound"
        ),
        .number(
            "buffers-max",
            \.buffersBytesMax,
            in: 0...1 << 50,
            unit: "bytes",
            help: "the most for bodies and answers in progress, 0 for a quarter of memory"
        ),
        .number(
            "sessions-max",
            \.sessionsMax,
            in: 0...1_000_000,
            unit: "sessions",
            help: "the most sessions of clients"
        ),
        .number(
            "sessions-per-address-max",
            \.sessionsPerAddressMax,
            in: 0...1_000_000,
            unit: "sessions",
            help: "the most sessions begun from one address; raise it behind a proxy"
        ),
    ]

    private static let times: [Option] = [
        .number(
            "headers-timeout",
            \.headersSeconds,
            in: 1...3_600,
            unit: "seconds",
            help: "how long headers may take"
        ),
        .number(
            "body-timeout",
            \.bodySeconds,
            in: 1...3_600,
            unit: "seconds",
            help: "how long a body may take"
        ),
        .number(
            "idle-timeout",
            \.idleSeconds,
            in: 1...3_600,
            unit: "seconds",
            help: "how long a connection may idle between requests"
        ),
        .number(
            "heartbeat",
            \.heartbeatSeconds,
            in: 1...3_600,
            unit: "seconds",
            help: "how often a stream gets a heartbeat"
        ),
        .number(
            "session-idle",
            \.sessionIdleSeconds,
            in: 1...31_536_000,
            unit: "seconds",
            help: "how long a session lasts without a request or an open stream"
        ),
        .number(
            "stall-timeout",
            \.stallSeconds,
            in: 1...3_600,
            unit: "seconds",
            help: "how long a stream's reader may accept no bytes"
        ),
        .number(
            "stream-lifetime",
            \.streamLifetimeSeconds,
            in: 0...31_536_000,
            unit: "seconds",
            help: "how long a stream may last, 0 for ever"
        ),
        .number(
            "slow-action",
            \.slowActionSeconds,
            in: 1...3_600,
            unit: "seconds",
            help: "how long a reducer may take before its action is named in the log"
        ),
        .number(
            "stuck-action",
            \.stuckActionSeconds,
            in: 1...86_400,
            unit: "seconds",
            help: "how long a reducer may take before /livez answers 503"
        ),
        .number(
            "shutdown-timeout",
            \.shutdownSeconds,
            in: 1...3_600,
            unit: "seconds",
            help: "how long a clean stop may take"
        ),
    ]
}
