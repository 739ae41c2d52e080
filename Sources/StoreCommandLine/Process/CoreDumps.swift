import Glibc

/// The core dump that the kernel writes when the process crashes.
enum CoreDumps {
    /// Has the kernel write none: it would have keys, cookies and bodies, for each who may read it.
    ///
    /// A limit of 0 holds for files alone, and a dump that is piped to a program such as apport is
    /// made all the same; 1 byte, which is too little for any file, forbids both (`do_coredump` in
    /// the kernel's fs/coredump.c). The hard limit stays, so who may debug the process can raise it
    /// (`prlimit --core=unlimited --pid`), and a debugger attaches as ever.
    static func forbid() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = min(1, limit.rlim_max)
        setrlimit(resource, &limit)
    }
}
