import Glibc

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

    /// The advice to an operator if the limit is too low.
    static let advice = "allow more (ulimit -n, LimitNOFILE=)"

    /// The current limit.
    static var current: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1_024
        }
        return Int(clamping: limit.rlim_cur)
    }
}
