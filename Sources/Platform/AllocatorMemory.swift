import Glibc

/// What the C library's allocator keeps for later.
package enum AllocatorMemory {
    /// `malloc_trim(3)`, which Swift's module of the C library leaves out; `nil` in a library that
    /// has none.
    private static let trim: (@convention(c) (Int) -> CInt)? = {
        guard let symbol = dlsym(nil, "malloc_trim") else { return nil }
        // Safety: the type of the function in the manual.
        return unsafeBitCast(symbol, to: (@convention(c) (Int) -> CInt).self)
    }()

    /// Gives freed memory back to the system. Holds up other threads' allocations for some
    /// milliseconds.
    package static func giveBack() { _ = trim?(0) }
}
