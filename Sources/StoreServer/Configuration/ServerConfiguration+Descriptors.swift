import Glibc
import StoreActionCatalog
import StoreHTTPTransport
import StoreTelemetry

extension ServerConfiguration {
    /// Returns the same configuration with as many streams and connections as descriptors allow.
    /// Bounds that differ from their defaults are kept; default bounds are reduced if they don't
    /// fit.
    ///
    /// Connections come first: a stream without a place is refused, but a dispatch must get
    /// through. Throws if bounds that were set do not fit, or if there are too few descriptors even
    /// for a few connections and streams.
    func fitted(
        toDescriptors limit: Int,
        storesCount: Int = 1,
        _ logger: Logger
    ) throws(ConfigurationError) -> ServerConfiguration {
        let reserved =
            DescriptorBudget.reserved + (storesCount - 1) * DescriptorBudget.storeMax
            + (separatesOperators ? TransportConfiguration.adminConnectionsMax : 0)
        let wanted = http.connectionsMax + streams.countMax + reserved
        guard wanted > limit else { return self }
        let available = limit - reserved
        guard available >= DescriptorBudget.placesMin else {
            throw ConfigurationError(
                "the system allows \(limit) open files, and the server needs "
                    + "\(reserved + DescriptorBudget.placesMin) at least; "
                    + DescriptorBudget.advice
            )
        }
        let fresh = ServerConfiguration()
        let isSet = (
            connections: http.connectionsMax != fresh.http.connectionsMax,
            streams: streams.countMax != fresh.streams.countMax
        )
        // Half of the minimum number of places is left for a bound that was not set.
        let left = DescriptorBudget.placesMin / 2
        let least =
            (isSet.connections ? http.connectionsMax : min(http.connectionsMax, left))
            + (isSet.streams ? streams.countMax : min(streams.countMax, left))
        guard least <= available else {
            let set =
                (isSet.connections ? ["--connections-max \(http.connectionsMax)"] : [])
                + (isSet.streams ? ["--streams-max \(streams.countMax)"] : [])
            throw ConfigurationError(
                "the system allows \(limit) open files, and " + set.joined(separator: " and ")
                    + " needs \(least + reserved); " + DescriptorBudget.advice + ", or give less"
            )
        }
        var fitted = self
        if !isSet.connections {
            let room = isSet.streams ? available - streams.countMax : available / 2
            fitted.http.connectionsMax = min(http.connectionsMax, room, 1_024)
        }
        if !isSet.streams {
            fitted.streams.countMax = min(streams.countMax, available - fitted.http.connectionsMax)
        }
        logger.warning(
            .configurationFitted,
            "the system allows \(limit) open files, and \(wanted) are needed; from now on at most "
                + "\(fitted.http.connectionsMax) connections and \(fitted.streams.countMax) streams"
        )
        return fitted
    }
}

/// The files and sockets that the server needs, and the number that the process may have open. The
/// host process owns that limit: the server reads it, and only the command line raises it.
enum DescriptorBudget {
    /// The descriptors for everything but connections and streams: listeners, timers, files, and
    /// the sockets of refused clients that still send.
    static let reserved = 96

    /// The minimum number of places for connections and streams that a server starts with.
    static let placesMin = 32

    /// The maximum number of descriptors of each further store: for the files of its journal, and
    /// for the wait on its streams.
    static let storeMax = 16

    static let advice = "allow more (ulimit -n, LimitNOFILE=)"

    static var current: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1_024
        }
        return Int(clamping: limit.rlim_cur)
    }
}
