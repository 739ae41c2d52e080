import EventStream
import HTTPTransport
import Wire

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
        transport.headersBytesMax = headersBytesMax
        transport.uriBytesMax = uriBytesMax
        transport.bodyBytesMax = bodyBytesMax
        transport.headersSeconds = Double(headersSeconds)
        transport.bodySeconds = Double(bodySeconds)
        transport.idleSeconds = Double(idleSeconds)
        transport.connectionsMax = connectionsMax
        return transport
    }
}

extension AnalyticsDestination {
    /// Opens the destination; `nil` where analytics are off.
    func writer(_ encoder: CloudEventEncoder) throws(ConfigurationError) -> AnalyticsWriter? {
        switch self {
        case .stdout: try AnalyticsWriter(path: nil, encoder: encoder)
        case .file(let path): try AnalyticsWriter(path: path, encoder: encoder)
        case .off: nil
        }
    }
}
