internal import StorePlatform
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Bytes that never change and are shared between threads without being copied: the encoded state,
/// an event's frame, a response's body.
///
/// They lie in one piece, or are made of the pieces of others: a frame around a large state, or a
/// state around its slices. Pieces are put together only for a reader that needs them in one.
public final class Bytes: Sendable {
    // Safety: the memory is written only before `init` returns and freed only by `deinit`.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer?
    /// How many bytes there are.
    public let count: Int
    /// What they are made of; `nil` where they lie in one piece.
    private let rope: Rope?
    /// 0 until ``hasLineEnd`` was asked; then 1 for no, 2 for yes.
    private let lineEnds = Atomic<UInt8>(0)

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
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 8)
        base = memory
        self.count = count
        rope = nil
        fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
    }

    /// The bytes of all pieces, one behind the other; none is copied. For those who count memory:
    /// so many of the bytes others keep alive anyway.
    package init(joining pieces: [Bytes], shared: Int = 0) {
        let rope = Rope(pieces, shared: shared)
        self.rope = rope
        count = rope.ends.last ?? 0
        base = nil
    }

    deinit {
        base?.deallocate()
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

    /// The bytes in place; valid as long as this object is retained, which only a closure that
    /// holds it can be sure of.
    @usableFromInline
    internal var unsafeBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: rope?.joined ?? base, count: count)
    }
}

extension Bytes {
    /// How many of the bytes exist for this object alone.
    package var ownCount: Int { count - (rope?.shared ?? 0) }

    /// Whether ``withUnsafeBytes(_:)`` would have to put pieces together first.
    package var isInPieces: Bool { rope.map { !$0.isJoined } ?? false }

    /// Whether there is a line feed or a carriage return among the bytes. Looked for once.
    package var hasLineEnd: Bool {
        if let rope { return rope.pieces.contains(where: \.hasLineEnd) }
        let known = lineEnds.load(ordering: .relaxed)
        guard known == 0 else { return known == 2 }
        let found = withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return false }
            return memchr(start, 0x0A, bytes.count) != nil
                || memchr(start, 0x0D, bytes.count) != nil
        }
        lineEnds.store(found ? 2 : 1, ordering: .relaxed)
        return found
    }

    /// What the bytes are made of, each in one piece.
    package var pieces: [Bytes] { rope?.pieces ?? [self] }

    /// Copies the bytes from an offset on, as many as there is room for. Returns how many.
    package func copy(from offset: Int, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var copied = 0
        while copied < buffer.count, offset + copied < count {
            let (found, skipped) = pieces(from: offset + copied, max: 1)
            guard let piece = found.first else { break }
            copied += piece.withUnsafeBytes { bytes in
                let part = bytes[skipped...].prefix(buffer.count - copied)
                UnsafeMutableRawBufferPointer(rebasing: buffer[copied...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
                return part.count
            }
        }
        return copied
    }

    /// The pieces that have the bytes from an offset on, at most so many, and the offset in the
    /// first of them.
    package func pieces(from offset: Int, max: Int) -> (pieces: ArraySlice<Bytes>, offset: Int) {
        guard let rope else { return ([self], offset) }
        let first = rope.place(of: offset)
        let last = min(rope.pieces.count, first + max)
        return (rope.pieces[first..<last], offset - (first == 0 ? 0 : rope.ends[first - 1]))
    }
}

/// Pieces that together are one run of bytes.
private final class Rope: Sendable {
    let pieces: [Bytes]
    /// Where each piece ends.
    let ends: [Int]
    let shared: Int
    // Safety: allocated once, behind the lock, written before that is left, and freed by `deinit`.
    private struct Joined: @unchecked Sendable {
        let memory: UnsafeMutableRawPointer
    }

    private let joinedCopy = Locked<Joined?>(nil)
    private let wasJoined = Atomic(false)

    init(_ joining: [Bytes], shared: Int) {
        pieces = joining.contains { $0.pieces.count > 1 } ? joining.flatMap(\.pieces) : joining
        var end = 0
        ends = pieces.map { piece in
            end += piece.count
            return end
        }
        self.shared = shared
    }

    deinit {
        joinedCopy.withLock { $0?.memory.deallocate() }
    }

    /// Whether they are put together. Never waits for a thread that does so just now.
    var isJoined: Bool { wasJoined.load(ordering: .relaxed) }

    /// All bytes in one piece. The first caller copies them, the others wait for that.
    var joined: UnsafeMutableRawPointer {
        joinedCopy.withLock { joinedCopy in
            if let joinedCopy { return joinedCopy }
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: max(ends.last ?? 0, 1),
                alignment: 8
            )
            for (piece, end) in zip(pieces, ends) {
                piece.withUnsafeBytes {
                    guard let start = $0.baseAddress else { return }
                    (memory + end - $0.count).copyMemory(from: start, byteCount: $0.count)
                }
            }
            let joined = Joined(memory: memory)
            joinedCopy = joined
            wasJoined.store(true, ordering: .relaxed)
            return joined
        }.memory
    }

    /// The piece that has the byte at an offset.
    func place(of offset: Int) -> Int {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Bytes: Equatable {
    /// Whether both hold the same bytes.
    public static func == (a: Bytes, b: Bytes) -> Bool {
        if a === b { return true }
        guard a.count == b.count else { return false }
        return a.withUnsafeBytes { mine in
            b.withUnsafeBytes { theirs in mine.hasSameBytes(as: theirs) }
        }
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
