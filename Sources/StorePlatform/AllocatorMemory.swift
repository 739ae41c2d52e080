import Glibc

/// What the C library's allocator keeps for later.
package enum AllocatorMemory {
    /// How many arenas threads share at the most (`M_ARENA_MAX` of `mallopt(3)`); one for each
    /// processor where these are fewer, but two. By itself the C library makes up to eight for each
    /// processor, and what one thread frees in one of them no other one takes: memory grows for as
    /// long as threads take turns.
    private static let arenasMax = 4
    private static let arenasMin = 2
    private static let arenasMaxParameter: CInt = -8
    /// What an operator sets arenas with.
    private static let variables = ["MALLOC_ARENA_MAX", "GLIBC_TUNABLES"]

    /// Has threads share a few arenas, unless the environment says how many. Before any thread
    /// starts.
    package static func shareArenas() {
        guard variables.allSatisfy({ getenv($0) == nil }) else { return }
        // Safety: the type of the function in the manual.
        let set = function("mallopt", as: (@convention(c) (CInt, CInt) -> CInt).self)
        let processors = sysconf(CInt(_SC_NPROCESSORS_ONLN))
        _ = set?(arenasMaxParameter, CInt(min(arenasMax, max(arenasMin, processors))))
    }

    /// Gives freed memory back to the system. Holds up other threads' allocations for some
    /// milliseconds.
    package static func giveBack() { _ = trim?(0) }

    // Safety: the type of the function in the manual.
    private static let trim = function("malloc_trim", as: (@convention(c) (Int) -> CInt).self)

    /// A function that Swift's module of the C library leaves out; `nil` in a library that has
    /// none.
    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
