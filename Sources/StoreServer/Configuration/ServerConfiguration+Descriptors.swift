import Glibc
import StoreActionCatalog
import StoreHTTPTransport
import StoreTelemetry

extension ServerConfiguration {
    /// Returns this configuration with bounds on connections and streams that fit the limit of
    /// descriptors. Bounds that differ from their defaults stay; default bounds are reduced if they
    /// don't fit.
    ///
    /// Throws if bounds that were set do not fit, or if the limit does not leave
    /// ``DescriptorBudget/clientDescriptorsMin`` descriptors for connections and streams.
    func fitted(
        toDescriptors limit: Int,
        storesCount: Int = 1,
        _ logger: Logger
    ) throws(ConfigurationError) -> ServerConfiguration {
        let reserved =
            DescriptorBudget.reservedCount + (storesCount - 1)
            * DescriptorBudget.descriptorsPerStoreMax
            + (hasOperatorListeners ? TransportConfiguration.adminConnectionsMax : 0)
        let wanted = http.connectionsMax + streams.countMax + reserved
        guard wanted > limit else { return self }
        let available = limit - reserved
        guard available >= DescriptorBudget.clientDescriptorsMin else {
            throw ConfigurationError(
                "the system allows \(limit) open files, and the server needs "
                    + "\(reserved + DescriptorBudget.clientDescriptorsMin) at least; "
                    + DescriptorBudget.advice
            )
        }
        let fresh = ServerConfiguration()
        let isSet = (
            connections: http.connectionsMax != fresh.http.connectionsMax,
            streams: streams.countMax != fresh.streams.countMax
        )
        // A bound that was not set may shrink to half of the minimum for connections and streams.
        let left = DescriptorBudget.clientDescriptorsMin / 2
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

/// The numbers of descriptors that the server needs, and the limit on open descriptors of the
/// process. The limit belongs to the process. The server reads the limit, and only the command line
/// raises it.
enum DescriptorBudget {
    /// The number of descriptors for everything except connections and streams: listeners, timers,
    /// files, and the sockets of refused clients that still send.
    static let reservedCount = 96

    /// The minimum number of descriptors for connections and streams; with fewer, a server does not
    /// start.
    static let clientDescriptorsMin = 32

    /// The maximum number of descriptors that each further store needs: for the files of its
    /// journal, and for the wait on its streams.
    static let descriptorsPerStoreMax = 16

    static let advice = "allow more (ulimit -n, LimitNOFILE=)"

    static var openFilesLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1_024
        }
        return Int(clamping: limit.rlim_cur)
    }
}
