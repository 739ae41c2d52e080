import StoreActionCatalog
import StoreAdmission
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StorePatterns
import StoreTelemetry

extension ServerConfiguration {
    var streamLimits: StreamLimits {
        var limits = StreamLimits()
        limits.streamsMax = streamsMax
        limits.heartbeatSeconds = heartbeatSeconds
        limits.stallSeconds = stallSeconds
        limits.lifetimeSeconds = streamLifetimeSeconds
        return limits
    }

    var transport: TransportConfiguration {
        var transport = TransportConfiguration(addresses: listen.compactMap { ListenAddress($0) })
        transport.adminAddresses = adminListen.compactMap { ListenAddress($0) }
        transport.headersBytesMax = headersBytesMax
        transport.uriBytesMax = uriBytesMax
        transport.bodyBytesMax = bodyBytesMax
        transport.buffersBytesMax = buffersBytes
        transport.headersSeconds = Double(headersSeconds)
        transport.bodySeconds = Double(bodySeconds)
        transport.idleSeconds = Double(idleSeconds)
        transport.connectionsMax = connectionsMax
        transport.commonFields = WebRules.commonFields(allowing: corsOrigins)
        transport.socketAccess = socketAccess
        transport.connectionsPerAddressMax = connectionsPerAddressMax
        transport.proxies = trustedProxies.compactMap { AddressRange($0) }
        return transport
    }
}

extension ServerConfiguration {
    /// The number of largest bodies that the memory for bodies and answers has to hold at least.
    static let buffersBodiesMin = 4
    /// The bound on that memory if the process's memory has no bound.
    private static let buffersBytesUnbounded = 256 << 20

    /// The maximum memory for bodies and answers in progress, in bytes.
    var buffersBytes: Int {
        if buffersBytesMax > 0 { return buffersBytesMax }
        let limit = MemoryUse(bytesMax: memoryBytesMax)?.limit
        return max(
            Self.buffersBodiesMin * bodyBytesMax,
            limit.map { $0 / 4 } ?? Self.buffersBytesUnbounded
        )
    }
}

extension AnalyticsDestination {
    /// Opens the destination; returns `nil` if analytics are off.
    func writer(_ logger: Logger) throws(ConfigurationError) -> AnalyticsWriter? {
        let path: String?
        switch self {
        case .stdout: path = nil
        case .file(let file): path = file
        case .off: return nil
        }
        do {
            return try AnalyticsWriter(path: path, logger: logger)
        } catch {
            throw ConfigurationError("--analytics: \(error)")
        }
    }
}

extension ServerConfiguration {
    /// The bounds on requests.
    var requestBounds: RequestBounds {
        RequestBounds(
            mailboxMax: mailboxMax,
            batchMax: batchMax,
            bodyBytesMax: bodyBytesMax,
            depthMax: depthMax,
            streamsMax: streamsMax
        )
    }

    /// Returns the table of the sessions in the state at the start of the server.
    func sessionTable(of sessions: Sessions.State) -> SessionTable {
        let clock = SteadyClock()
        return SessionTable(
            sessions.sessions.keys.filter { $0 != Sessions.shared },
            sessionsMax: sessionsMax,
            perAddressMax: sessionsPerAddressMax,
            idleSeconds: sessionIdleSeconds,
            now: { clock.now() }
        )
    }
}
