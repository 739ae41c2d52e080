import StoreActionCatalog
import StoreAdmission
import StoreAuthentication
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreJSON
import StorePatterns
import StoreTelemetry
import StoreTraceExport

// The configurations of the parts of a server, made from the configuration of the server.

extension ServerConfiguration {
    /// Returns the configuration for the store at `links`. An added store gets files of its own.
    func forStore(_ links: Links) -> ServerConfiguration {
        guard let name = links.storeName else { return self }
        var own = self
        own.history.directory += "/stores/\(name)"
        own.history.keysDirectory? += "/stores/\(name)"
        own.analytics.eventSource += "/stores/\(name)"
        own.history.stateFile = nil
        return own
    }

    /// True if operators have listeners of their own.
    var hasOperatorListeners: Bool { !http.adminListen.isEmpty }

    /// True if the routes for operators can be reached only from this machine.
    var servesOperatorsOnLoopbackOnly: Bool {
        (hasOperatorListeners ? http.adminListen : http.listen).allSatisfy {
            ListenAddress($0)?.isLoopback ?? false
        }
    }

    /// The rule for values of the `Host` header. The header may name the hosts of the listeners,
    /// loopback and the allowed hosts.
    var hostRule: HostRule {
        HostRule(
            listening: (http.listen + http.adminListen).compactMap { ListenAddress($0)?.host },
            additional: web.allowedHosts
        )
    }

    var transport: TransportConfiguration {
        var transport = TransportConfiguration(
            addresses: http.listen.compactMap { ListenAddress($0) }
        )
        transport.adminAddresses = http.adminListen.compactMap { ListenAddress($0) }
        transport.headersBytesMax = http.headersBytesMax
        transport.uriBytesMax = http.uriBytesMax
        transport.bodyBytesMax = http.bodyBytesMax
        transport.buffersBytesMax = effectiveBuffersBytesMax
        transport.headersTimeoutSeconds = Double(http.headersTimeout.wholeSeconds)
        transport.bodyTimeoutSeconds = Double(http.bodyTimeout.wholeSeconds)
        transport.idleTimeoutSeconds = Double(http.idleTimeout.wholeSeconds)
        transport.connectionsMax = http.connectionsMax
        transport.commonFields = WebRules.commonFields(allowing: web.corsOrigins)
        transport.socketAccess = SocketAccess(
            mode: SocketAccess.parsedMode(http.socketMode) ?? SocketAccess().mode,
            group: http.socketGroup.flatMap(SocketAccess.groupID)
        )
        transport.connectionsPerAddressMax = http.connectionsPerAddressMax ?? 0
        transport.proxies = web.trustedProxies.compactMap { AddressRange($0) }
        return transport
    }

    /// The number of bodies of maximum size that must fit into the memory for bodies and answers.
    static let bufferedBodiesMin = 4
    /// The bound on the memory for bodies and answers if the process's memory has no bound.
    private static let buffersBytesDefault = 256 << 20

    /// The maximum memory for bodies and answers in progress, in bytes.
    var effectiveBuffersBytesMax: Int {
        if let bytesMax = http.buffersBytesMax { return bytesMax }
        return max(
            Self.bufferedBodiesMin * http.bodyBytesMax,
            MemoryUse(bytesMax: memoryBytesMax).map { $0.limitBytes / 4 }
                ?? Self.buffersBytesDefault
        )
    }

    var streamLimits: StreamLimits {
        var limits = StreamLimits()
        limits.streamsMax = streams.countMax
        limits.heartbeatSeconds = streams.heartbeat.wholeSeconds
        limits.stallSeconds = streams.stallTimeout.wholeSeconds
        limits.lifetimeSeconds = streams.lifetimeMax?.wholeSeconds ?? 0
        return limits
    }

    var requestBounds: RequestBounds {
        RequestBounds(
            mailboxActionsMax: actions.mailboxMax,
            requestActionsMax: actions.arrayActionsMax,
            json: JSONLimits(bytesMax: http.bodyBytesMax, depthMax: http.bodyDepthMax),
            streamsMax: streams.countMax
        )
    }

    /// Returns the table of the sessions in the state at the start of the server.
    func makeSessionTable(of state: StorePatterns.Sessions.State) -> SessionTable {
        let clock = SteadyClock()
        return SessionTable(
            state.sessions.keys.filter { $0 != StorePatterns.Sessions.shared },
            sessionsMax: sessions.countMax,
            sessionsPerAddressMax: sessions.perAddressMax,
            idleSeconds: sessions.idleTimeout.wholeSeconds,
            now: { clock.now() }
        )
    }

    /// Makes the rules for origins, proxies and shares. The shares are counted with `clock`. A
    /// process calls this function once for all stores, because a share counts a client's requests
    /// to all stores together.
    func makeWebRules(_ clock: any WallClock) -> WebRules {
        let rates: [RateLimitKind: Rate?] = [
            .requests: web.requestRate, .actions: web.actionRate, .sessions: web.sessionRate,
            .streams: web.streamRate,
        ]
        let limits = rates.compactMapValues { $0 }.mapValues {
            RateLimit(count: $0.count, seconds: $0.period.wholeSeconds)
        }
        return WebRules(
            origins: web.corsOrigins,
            proxies: web.trustedProxies.isEmpty ? nil : TrustedProxies(web.trustedProxies),
            limits: RateLimits(limits, clock: clock)
        )
    }

    // Credentials

    var authentication: AuthenticationConfiguration {
        var credentials = AuthenticationConfiguration()
        credentials.keysFile = access.apiKeysFile
        if !access.jwtKeyFiles.isEmpty, let name = access.jwtIssuer {
            var issuer = IssuerConfiguration(
                name: name,
                audiences: access.jwtAudiences,
                keyFiles: access.jwtKeyFiles
            )
            issuer.roleClaim = access.jwtRoleClaim
            issuer.leewaySeconds = access.jwtLeeway.wholeSeconds
            credentials.issuer = issuer
        }
        credentials.cookieKeyFile = history.ephemeral ? nil : history.directory + "/auth-cookie.key"
        credentials.cookieLifetimeSecondsMax = Int64(access.cookieLifetime.wholeSeconds)
        return credentials
    }

    /// Makes the authenticator. The data directory has to exist, unless history is kept in memory.
    func makeAuthenticator() throws(ConfigurationError) -> Authenticator {
        var credentials = authentication
        if !credentials.takesCredentials { credentials.cookieKeyFile = nil }
        return try ConfigurationError.wrapErrors { try Authenticator(credentials) }
    }

    /// True if every cookie has the attribute `Secure`, false if none has it; `nil` if the
    /// attribute depends on the request.
    var hasSecureCookies: Bool? {
        switch access.cookieSecurity {
        case .auto: nil
        case .always: true
        case .never: false
        }
    }

    /// Reads the header fields for the collector. Errors do not contain the content of the file.
    func collectorHeaders() throws(ConfigurationError) -> ExportHeaders {
        guard let path = traces.headersFile else { return ExportHeaders() }
        do throws(CredentialFileError) {
            let file = try CredentialFile.read(path)
            try file.checkNotWorldReadable()
            do throws(ExportHeaders.FileError) { return try ExportHeaders(file.bytes) } catch {
                throw CredentialFileError(path, error.description)
            }
        } catch { throw ConfigurationError("--otlp-headers-file: \(error.description)") }
    }
}

extension AnalyticsDestination {
    /// Opens the destination, and returns its writer; returns `nil` if analytics are off.
    func openWriter(_ logger: Logger) throws(ConfigurationError) -> AnalyticsWriter? {
        let path: String?
        switch self {
        case .stdout: path = nil
        case .file(let file): path = file
        case .off: return nil
        }
        return try ConfigurationError.wrapErrors("--analytics: ") {
            try AnalyticsWriter(path: path, logger: logger)
        }
    }
}

extension Duration {
    /// The duration in seconds. A checked configuration has no fractions of a second.
    var wholeSeconds: Int { Int(components.seconds) }
}
