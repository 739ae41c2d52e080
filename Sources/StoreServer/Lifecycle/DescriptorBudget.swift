import Glibc

/// The files and sockets that the server needs, and how many the process may have open. The limit
/// is the host process's: it is read here, and the command line alone raises it.
enum DescriptorBudget {
    /// What the server needs besides connections and streams: listeners, timers, files, and the
    /// sockets of refused clients that still send.
    static let reserved = 96

    /// The fewest places for connections and streams that a server starts with.
    static let placesMin = 32

    /// What each further store needs at the most: the files of its journal, what its streams are
    /// waited for with.
    static let storeMax = 16

    /// What there is to do where the limit is too low.
    static let advice = "allow more (ulimit -n, LimitNOFILE=)"

    /// The limit as it is now.
    static var current: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1_024
        }
        return Int(clamping: limit.rlim_cur)
    }
}
