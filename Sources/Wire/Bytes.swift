#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Bytes that never change and are shared between threads without being copied: the encoded state,
/// an event's frame, a response's body.
public final class Bytes: Sendable {
    // Safety: the memory is written only before `init` returns and freed only by `deinit`.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer
    /// How many bytes there are.
    public let count: Int

    /// Copies an array's bytes.
    public convenience init(_ array: [UInt8]) {
        self.init(count: array.count) { buffer in
            array.withUnsafeBytes { buffer.copyMemory(from: $0) }
        }
    }

    /// The UTF-8 of a string.
    public convenience init(utf8 string: String) {
        self.init(Array(string.utf8))
    }

    /// Memory for `count` bytes that `fill` writes, every one of them.
    package init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        base = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 8)
        self.count = count
        fill(UnsafeMutableRawBufferPointer(start: base, count: count))
    }

    deinit {
        base.deallocate()
    }

    /// A copy of the bytes.
    package var array: [UInt8] {
        withUnsafeBytes { Array($0) }
    }

    /// Lends the bytes for the time of the call.
    @inlinable
    public func withUnsafeBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        defer { withExtendedLifetime(self) {} }
        return try body(unsafeBytes)
    }

    /// The bytes in place; valid as long as this object is retained, which only a closure that holds
    /// it can be sure of.
    @usableFromInline
    internal var unsafeBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: count)
    }
}

extension Bytes: Equatable {
    /// Whether both hold the same bytes.
    public static func == (a: Bytes, b: Bytes) -> Bool {
        a === b || a.unsafeBytes.hasSameBytes(as: b.unsafeBytes)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes. Cost: one `memcmp`, at the speed of memory.
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
        return base == otherBase || memcmp(base, otherBase, count) == 0
    }
}
