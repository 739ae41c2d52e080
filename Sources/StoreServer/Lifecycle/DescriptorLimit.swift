import Glibc

/// How many files and sockets the process may have open.
enum DescriptorLimit {
    /// What the server needs besides connections and streams: listeners, timers, files.
    static let reserved = 64

    /// Raises the limit as far as the system lets us, and answers what it is then.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 1_024
        }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 {
                limit = raised
            }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
