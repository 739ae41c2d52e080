import StoreActionCatalog
import StoreCore
import StoreEventStream
import StoreHTTP
import StoreHTTPTransport
import StorePatterns
import StoreTelemetry
import StoreWire

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
    /// How many of the largest bodies the memory for what is under way holds at least.
    static let buffersBodiesMin = 4
    /// The bound on that memory where there is none on the whole memory.
    private static let buffersBytesUnbounded = 256 << 20

    /// The most that bodies and answers take that are under way.
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
    /// Opens the destination; `nil` where analytics are off.
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
    /// The bounds that requests meet.
    var requestBounds: RequestBounds {
        RequestBounds(
            mailboxMax: mailboxMax,
            batchMax: batchMax,
            bodyBytesMax: bodyBytesMax,
            depthMax: depthMax,
            streamsMax: streamsMax
        )
    }

    /// The sessions that a state has when the server starts.
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
