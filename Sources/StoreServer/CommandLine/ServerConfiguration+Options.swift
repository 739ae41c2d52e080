import StoreAdmission
import StoreAuthentication
package import StoreCommandLine
import StoreHTTP
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreJournalSQLite
import StoreTelemetry
import StoreTraceExport
import StoreWire

// Each option is declared only here. Its entry gives the flag, the variable, the key in the file,
// the help, the bounds and the errors.

extension ServerConfiguration: CommandLineConfiguration {
    package static let options: [Option] =
        generalOptions + accessOptions + webOptions + historyOptions + analyticsOptions + logOptions
        + traceOptions + limitOptions + durationOptions

    package static var defaults: ServerConfiguration {
        var defaults = ServerConfiguration()
        defaults.analytics.destination = .stdout
        let telemetry = OpenTelemetryVariables(ProcessEnvironment.variables)
        defaults.traces.endpoint = telemetry.endpoint
        defaults.traces.serviceName = telemetry.serviceName
        let passed = InheritedSocket.passedDescriptors(in: ProcessEnvironment.variables)
        if !passed.isEmpty { defaults.http.listen = passed.map { "fd:\($0)" } }
        return defaults
    }

    package typealias Option = ConfigurationOption<ServerConfiguration>

    private static let generalOptions: [Option] = [
        .flag("listen", "where to listen: 127.0.0.1:8080, [::1]:8080, unix:/path or fd:3")
            .sets(
                each: \.http.listen,
                .text("ADDRESS", ListenAddress.allowedForms) {
                    $0.hasPrefix("fd:") || ListenAddress($0) != nil
                }
            ),
        .flag(
            "admin-listen",
            "where operators connect, apart from clients: /metrics, /livez, /readyz, /debug"
        )
        .sets(
            each: \.http.adminListen,
            .text("ADDRESS", ListenAddress.allowedForms) { ListenAddress($0) != nil }
        ),
        .flag("allow-anonymous", "listen beyond loopback without a login")
            .sets(\.access.allowAnonymous, .toggle),
        .flag(
            "policy",
            "a JSON file with each role's rights; see 'policy check' and 'policy explain'"
        )
        .sets(\.access.policyFile, .file),
        .flag("allowed-host", "an additional name that the Host header may have")
            .sets(
                each: \.web.allowedHosts,
                .text("HOST", "a host name or address without a port", if: HostRule.isHost)
            ),
        .flag(
            "debug-routes",
            "serve /debug/subscriptions, /debug/middleware, /debug/interceptors and "
                + "/debug/commands to operators"
        )
        .sets(\.http.debugRoutes, .toggle),
        .flag("operator-reads", "show the slices of all sessions to clients without a session")
            .sets(\.access.operatorReads, .toggle),
        .flag(
            "clock",
            "the clock of effects: system, or test, which POST /test/clock/advance moves"
        )
        .sets(\.clock, .choice("WHICH")),
    ]

    private static let accessOptions: [Option] = [
        .flag("auth-keys", "take the API keys of this file, which 'token create' makes")
            .sets(\.access.apiKeysFile, .file),
        .flag(
            "jwt-keys",
            "take JWTs that the keys of this file have signed: a JWK Set, or a public key "
                + "or certificate in PEM"
        )
        .sets(each: \.access.jwtKeyFiles, .text("FILE", "a file's path")),
        .flag("jwt-issuer", "the issuer of the JWTs, which iss has to name")
            .sets(\.access.jwtIssuer, .optional(.text("ISSUER", bytes: claimBytesRange))),
        .flag("jwt-audience", "a name of this server; the aud of a JWT has to contain at least one")
            .sets(each: \.access.jwtAudiences, .text("AUDIENCE", bytes: claimBytesRange)),
        .flag("jwt-role-claim", "the claim of a JWT that names the role")
            .sets(\.access.jwtRoleClaim, .text("CLAIM", bytes: claimBytesRange)),
        .flag("jwt-leeway", "how far the clocks of the issuer and this machine may differ")
            .sets(\.access.jwtLeeway, .seconds(0...IssuerConfiguration.leewaySecondsMax)),
        .flag("auth-cookie-seconds", "how long a browser's cookie lasts at most")
            .sets(\.access.cookieLifetime, .seconds(60...31_536_000)),
        .flag(
            "cookie-secure",
            "when cookies are Secure: always, never, or auto, by the request's transport"
        )
        .sets(\.access.cookieSecurity, .choice("WHEN")),
    ]

    private static let claimBytesRange = 1...IssuerConfiguration.textBytesMax

    private static let webOptions: [Option] = [
        .flag("cors-origin", "pages of this origin may use the server: https://app.example")
            .sets(
                each: \.web.corsOrigins,
                OptionForm(
                    "ORIGIN",
                    describeAllowed: allowedOriginDescription,
                    read: { OriginRule.isOrigin($0) ? $0 : nil }
                )
            ),
        .flag(
            "trusted-proxy",
            "a trusted proxy, which gives the addresses of clients: 10.0.0.0/8, ::1 or unix"
        )
        .sets(
            each: \.web.trustedProxies,
            .text("ADDRESS", "an address such as 10.0.0.0/8 or 2001:db8::1, or unix") {
                TrustedProxies([$0]) != nil
            }
        ),
        .flag("rate-requests", "how many requests one address may send")
            .sets(\.web.requestRate, .optional(.rate, none: "0")),
        .flag("rate-actions", "how many actions one address may dispatch")
            .sets(\.web.actionRate, .optional(.rate, none: "0")),
        .flag("rate-sessions", "how many sessions one address may begin")
            .sets(\.web.sessionRate, .optional(.rate, none: "0")),
        .flag("rate-streams", "how many streams one address may open")
            .sets(\.web.streamRate, .optional(.rate, none: "0")),
        .flag("socket-mode", "the mode of unix sockets")
            .sets(
                \.http.socketMode,
                .text("MODE", "a mode in octal digits, such as 0660") {
                    SocketAccess.parsedMode($0) != nil
                }
            ),
        .flag(
            "socket-group",
            "the group of unix sockets, by name or number; if empty, the process's group"
        )
        .sets(\.http.socketGroup, .optional(.text("GROUP"), none: "")),
    ]

    /// Returns a description of the allowed values, for the error about a text that is no origin.
    @Sendable private static func allowedOriginDescription(for text: String) -> String {
        let reason =
            text == "*"
            ? "; '*' would let every page that a user opens read the state and dispatch, with the "
                + "user's cookies"
            : text == "null" ? "; 'null' is the origin of all sandboxed pages" : ""
        return "an origin as browsers write it (in small letters, without a path and without the "
            + "usual port), such as https://app.example or http://localhost:5173" + reason
    }

    private static let historyOptions: [Option] = [
        .flag("data", "the directory of the history").sets(\.history.directory, .text("DIR")),
        .flag("personal-keys", "the directory of the keys of personal values; else that of --data")
            .sets(\.history.keysDirectory, .optional(.text("DIR", "a directory's path"))),
        .flag("ephemeral", "keep history in memory; a restart begins anew")
            .sets(\.history.ephemeral, .toggle),
        .flag("forget-clients", "keep actions without the address and user agent of their client")
            .sets(\.history.forgetClients, .toggle),
        .flag(
            "accept-data-loss",
            "keep the intact part of a damaged history, and begin a new history with it"
        )
        .sets(\.history.acceptDataLoss, .toggle),
        .flag(
            "state-file",
            "begin a history with the state in this JSON file; an existing history goes on"
        )
        .sets(\.history.stateFile, .file),
        .flag("history-max", "how much history --ephemeral keeps")
            .sets(\.history.memoryActionsMax, .number(1...10_000_000, "actions")),
        .flag("retain-age", "how long history is kept, 0 for ever")
            .sets(\.history.ageMax, .optional(.seconds(0...3_153_600_000), none: "0")),
        .flag("retain-size", "how much history is kept, 0 for all")
            .sets(\.history.bytesMax, .optional(.number(0...1 << 50, "bytes"), none: "0")),
        .flag("snapshot-every", "how often a snapshot of the state is kept, for a fast start")
            .sets(\.history.actionsPerSnapshot, .number(1...10_000_000, "actions")),
    ]

    private static let analyticsOptions: [Option] = [
        .flag("analytics", "where analytics lines go: stdout, file:PATH or off")
            .sets(\.analytics.destination, .analyticsDestination),
        .flag("analytics-source", "the CloudEvents source of every analytics line")
            .sets(
                \.analytics.eventSource,
                .text("URI", URIReference.allowedDescription, if: URIReference.isValid)
            ),
        .flag(
            "analytics-recent",
            "how many of the last events GET /analytics shows to operators, 0 for no route"
        )
        .sets(
            \.analytics.recentEventsMax,
            .optional(.number(0...RecentAnalytics.countCeiling, "events"), none: "0")
        ),
    ]

    private static let logOptions: [Option] = [
        .flag("log-format", "how log lines are written: text or json")
            .sets(\.log.format, .choice("FORMAT")),
        .flag(
            "log-level",
            "the lowest level to log: debug, info, warning or error; SIGHUP reads it again"
        )
        .sets(\.log.level, .choice("LEVEL")),
        .flag(
            "access-log",
            "write a line to the log for each request, and for each stream at its end"
        )
        .sets(\.log.logsRequests, .toggle),
        .flag("log-actions", "write a line to the log for each applied action, without its payload")
            .sets(\.log.logsActions, .toggle),
        .flag("log-exclude", "an action that --log-actions leaves out, by its wire name")
            .sets(each: \.log.excludedActions, .text("TYPE", "an action's wire name")),
    ]

    private static let traceOptions: [Option] = [
        .flag(
            "otlp-endpoint",
            "export traces to this collector, by OTLP over HTTP: http://127.0.0.1:4318, or off"
        )
        .sets(
            \.traces.endpoint,
            .optional(
                .text("URL", CollectorURL.allowedForm + "; or off") { CollectorURL($0) != nil },
                none: "off"
            )
        ),
        .flag(
            "otlp-headers-file",
            "header fields for the collector, such as Authorization, a line for each; "
                + "SIGHUP reads it again"
        )
        .sets(\.traces.headersFile, .file),
        .flag(
            "otlp-sample",
            "the share of new traces that is exported, 0 to 1; SIGHUP reads it again"
        )
        .sets(\.traces.sampleRatio, .ratio),
        .flag("otlp-service", "the service.name of the traces; by default the program's name")
            .sets(\.traces.serviceName, .optional(.text("NAME", bytes: 1...255))),
    ]

    private static let limitOptions: [Option] = [
        .flag("headers-max", "the most bytes of request line and headers")
            .sets(\.http.headersBytesMax, .number(1 << 10...1 << 20, "bytes")),
        .flag("uri-max", "the longest request target")
            .sets(\.http.uriBytesMax, .number(64...1 << 20, "bytes")),
        // The journal can't hold a larger record; an attempt to append a larger record would end
        // the server.
        .flag(
            "body-max",
            "the largest request body, at most as large as a record of history can be"
        )
        .sets(\.http.bodyBytesMax, .number(64...SQLiteJournal.fieldBytesMax, "bytes")),
        .flag("depth-max", "how deep JSON may nest")
            .sets(\.http.bodyDepthMax, .number(2...JSONLimits.depthCeiling, "levels")),
        .flag("batch-max", "the most actions in one array")
            .sets(
                \.actions.arrayActionsMax,
                .number(1...JSONSchema.arrayActionsMaxDefault, "actions")
            ),
        .flag("mailbox-max", "the most actions that wait before dispatch answers 503")
            .sets(\.actions.mailboxMax, .number(1...1 << 24, "actions")),
        .flag("connections-max", "the most connections that carry requests")
            .sets(\.http.connectionsMax, .number(1...1_000_000, "connections")),
        .flag(
            "connections-per-address-max",
            "the most connections of an address beyond loopback, 0 for a quarter of all"
        )
        .sets(
            \.http.connectionsPerAddressMax,
            .optional(.number(0...1_000_000, "connections"), none: "0")
        ),
        .flag("streams-max", "the most open streams")
            .sets(\.streams.countMax, .number(0...1_000_000, "streams")),
        .flag(
            "memory-max",
            "memory at which slow readers are cut off, 0 for the control group's bound"
        )
        .sets(\.memoryBytesMax, .optional(.number(0...1 << 50, "bytes"), none: "0")),
        .flag(
            "buffers-max",
            "the most bytes of bodies and answers in progress, 0 for a quarter of memory"
        )
        .sets(\.http.buffersBytesMax, .optional(.number(0...1 << 50, "bytes"), none: "0")),
        .flag("sessions-max", "the most sessions of clients")
            .sets(\.sessions.countMax, .number(0...1_000_000, "sessions")),
        .flag(
            "sessions-per-address-max",
            "the most sessions begun from one address; raise it behind a proxy"
        )
        .sets(\.sessions.perAddressMax, .number(0...1_000_000, "sessions")),
    ]

    private static let durationOptions: [Option] = [
        .flag("headers-timeout", "how long headers may take")
            .sets(\.http.headersTimeout, .seconds(1...3_600)),
        .flag("body-timeout", "how long a body may take")
            .sets(\.http.bodyTimeout, .seconds(1...3_600)),
        .flag("idle-timeout", "how long a connection may idle between requests")
            .sets(\.http.idleTimeout, .seconds(1...3_600)),
        .flag("heartbeat", "how often a stream gets a heartbeat")
            .sets(\.streams.heartbeat, .seconds(1...3_600)),
        .flag("session-idle", "how long a session lasts without a request or an open stream")
            .sets(\.sessions.idleTimeout, .seconds(1...31_536_000)),
        .flag("stall-timeout", "how long a stream's reader may accept no bytes")
            .sets(\.streams.stallTimeout, .seconds(1...3_600)),
        .flag("stream-lifetime", "how long a stream may last, 0 for ever")
            .sets(\.streams.lifetimeMax, .optional(.seconds(0...31_536_000), none: "0")),
        .flag("slow-action", "how long a reducer may take before its action is named in the log")
            .sets(\.actions.slowAfter, .seconds(1...3_600)),
        .flag("stuck-action", "how long a reducer may take before /livez answers 503")
            .sets(\.actions.stuckAfter, .seconds(1...86_400)),
        .flag("shutdown-timeout", "how long a clean stop may take")
            .sets(\.shutdownTimeout, .seconds(1...3_600)),
    ]
}

// Forms of values

extension OptionForm<Rate> {
    /// The form of a rate, such as `100/60`. The options also accept `0`, for no bound.
    fileprivate static var rate: Self {
        Self(
            "N/S",
            helpSuffix: ", N in S seconds, 0 for any number",
            describeAllowed: { _ in "N/S, 1 to 1000000 in 1 to 86400 seconds, such as 100/60; or 0"
            },
            read: { Rate($0) }
        )
    }
}

extension OptionForm<AnalyticsDestination> {
    fileprivate static var analyticsDestination: Self {
        Self(
            "WHERE",
            describeAllowed: { _ in "stdout, file:PATH or off" },
            read: { AnalyticsDestination($0) }
        )
    }
}

extension OptionForm<Double> {
    fileprivate static var ratio: Self {
        Self(
            "RATIO",
            describeAllowed: { _ in "a number from 0 to 1, such as 0.1" },
            read: { Double($0).flatMap { 0...1 ~= $0 ? $0 : nil } }
        )
    }
}
