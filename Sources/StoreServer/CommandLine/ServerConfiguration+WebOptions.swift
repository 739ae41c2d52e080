import StoreCommandLine
import StoreHTTP
import StoreHTTPTransport

extension ServerConfiguration {
    /// The options about the web around the server.
    static let web: [Option] = [
        .list(
            "cors-origin",
            "ORIGIN",
            \.corsOrigins,
            help: "pages of this origin may use the server: https://app.example",
            check: { OriginRule.isOrigin($0) ? nil : allowedOrigin(for: $0) }
        ),
        .list(
            "trusted-proxy",
            "ADDRESS",
            \.trustedProxies,
            help: "a trusted proxy, which gives the addresses of clients: 10.0.0.0/8, ::1 or unix",
            check: { TrustedProxies([$0]) == nil ? allowedProxy : nil }
        ),
        .rate("rate-requests", \.rateRequests, help: "how many requests one address may send"),
        .rate("rate-actions", \.rateActions, help: "how many actions one address may dispatch"),
        .rate("rate-sessions", \.rateSessions, help: "how many sessions one address may begin"),
        .rate("rate-streams", \.rateStreams, help: "how many streams one address may open"),
        .text(
            "socket-mode",
            "MODE",
            \.socketMode,
            help: "the mode of unix sockets",
            check: { SocketAccess.mode($0) == nil ? allowedMode : nil }
        ),
        .text(
            "socket-group",
            "GROUP",
            \.socketGroup,
            help: "the group of unix sockets, by name or number; if empty, the process's group",
            check: { _ in nil }
        ),
    ]
}

extension ConfigurationOption<ServerConfiguration> {
    /// Makes an option for a rate; its value `0` stands for no bound.
    fileprivate static func rate(
        _ name: String,
        _ member: any WritableKeyPath<ServerConfiguration, Rate?> & Sendable,
        help: String
    ) -> Self {
        Self(
            name: name,
            placeholder: "N/S",
            help: "\(help), N in S seconds, 0 for any number",
            apply: { configuration, values, origin throws(UsageError) in
                for value in values {
                    let rate = Rate(value)
                    guard value == "0" || rate != nil else {
                        throw .value(
                            value,
                            of: origin,
                            allowed: "N/S, 1 to 1000000 in 1 to 86400 seconds, such as 100/60; or 0"
                        )
                    }
                    configuration[keyPath: member] = rate
                }
            },
            show: { [$0[keyPath: member]?.description ?? "0"] }
        )
    }
}
