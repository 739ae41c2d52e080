import Glibc

/// Settings of the C library's memory allocator.
package enum AllocatorMemory {
    /// The maximum number of arenas that threads share (`M_ARENA_MAX` of `mallopt(3)`). On a
    /// machine with fewer processors, there is one arena for each processor, but at least
    /// ``arenasMin`` arenas.
    ///
    /// The C library's default is eight arenas for each processor. Memory that a thread frees in
    /// its arena is not reused by threads of other arenas. So the process's memory grows if work
    /// moves from thread to thread.
    private static let arenasMax = 4
    private static let arenasMin = 2
    private static let arenasMaxParameter: CInt = -8
    /// Environment variables with which an operator sets the number of arenas.
    private static let variables = ["MALLOC_ARENA_MAX", "GLIBC_TUNABLES"]

    /// Limits the number of arenas, unless the environment sets this number. Call this function
    /// before any thread starts.
    package static func limitArenas() {
        guard variables.allSatisfy({ getenv($0) == nil }) else { return }
        // Safety: the manual page of the function gives this type.
        let set = function("mallopt", as: (@convention(c) (CInt, CInt) -> CInt).self)
        let processors = sysconf(CInt(_SC_NPROCESSORS_ONLN))
        _ = set?(arenasMaxParameter, CInt(min(arenasMax, max(arenasMin, processors))))
    }

    /// Gives freed memory back to the system. Meanwhile, other threads may have to wait some
    /// milliseconds for memory.
    package static func returnFreeMemory() { _ = trim?(0) }

    // Safety: the manual page of the function gives this type.
    private static let trim = function("malloc_trim", as: (@convention(c) (Int) -> CInt).self)

    /// Returns a function that Swift's module of the C library leaves out; `nil` if the library has
    /// no such function.
    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
