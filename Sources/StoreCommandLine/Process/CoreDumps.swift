import Glibc

/// The core dump that the kernel writes when the process crashes.
enum CoreDumps {
    /// Forbids core dumps: a dump would contain keys, cookies and bodies, for every user who may
    /// read it.
    ///
    /// A limit of 0 applies only to files; a dump that is piped to a program such as apport is made
    /// nevertheless. A limit of 1 byte, which is too small for any file, forbids both
    /// (`do_coredump` in the kernel's fs/coredump.c). The hard limit stays. A user who may debug
    /// the process can therefore raise the limit (`prlimit --core=unlimited --pid`), and a debugger
    /// attaches as usual.
    static func forbid() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = min(1, limit.rlim_max)
        setrlimit(resource, &limit)
    }
}
