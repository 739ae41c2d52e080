import Glibc

/// Settings of the C library's memory allocator.
package enum AllocatorMemory {
    /// The most arenas that threads share (`M_ARENA_MAX` of `mallopt(3)`). A machine with fewer
    /// processors has one arena for each of them, but at least ``arenasMin``.
    ///
    /// The C library's default is eight arenas for each processor. Threads of other arenas do not
    /// reuse memory that a thread frees in its arena. So memory grows while threads take turns.
    private static let arenasMax = 4
    private static let arenasMin = 2
    private static let arenasMaxParameter: CInt = -8
    /// Environment variables with which an operator sets the number of arenas.
    private static let variables = ["MALLOC_ARENA_MAX", "GLIBC_TUNABLES"]

    /// Limits the arenas, unless the environment sets them. Call it before any thread starts.
    package static func shareArenas() {
        guard variables.allSatisfy({ getenv($0) == nil }) else { return }
        // Safety: the type is the type of the function in the manual.
        let set = function("mallopt", as: (@convention(c) (CInt, CInt) -> CInt).self)
        let processors = sysconf(CInt(_SC_NPROCESSORS_ONLN))
        _ = set?(arenasMaxParameter, CInt(min(arenasMax, max(arenasMin, processors))))
    }

    /// Gives freed memory back to the system. Other threads may wait some milliseconds for memory.
    package static func giveBack() { _ = trim?(0) }

    // Safety: the type is the type of the function in the manual.
    private static let trim = function("malloc_trim", as: (@convention(c) (Int) -> CInt).self)

    /// Returns a function that Swift's module of the C library leaves out; `nil` if the library has
    /// no such function.
    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
