import Glibc
import StorePlatform
import Synchronization

/// Immutable bytes that threads share without a copy: the encoded state, an event's frame, a
/// response's body.
///
/// The bytes are in one piece of memory, or in a list of pieces that other objects share. A frame
/// with a large state is a list, and so is a state made of slices. Versions of a document with
/// tables share rows. The pieces or rows are joined when a reader needs contiguous memory.
public final class Bytes: Sendable {
    // Safety: the memory is written only before `init` returns and freed only by `deinit`.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer?
    /// The number of bytes.
    public let count: Int
    /// The pieces of the bytes; `nil` if the bytes are contiguous.
    private let rope: Rope?
    /// The document of these bytes, if the document has tables; otherwise `nil`.
    package let outlined: OutlinedJSON?
    /// The stored value of ``hasLineEnd``: 0 before the first read, 1 for false, 2 for true.
    private let lineEndSearchResult = Atomic<UInt8>(0)

    /// Copies an array's bytes.
    public convenience init(_ array: [UInt8]) {
        self.init(count: array.count) { buffer in
            array.withUnsafeBytes { buffer.copyMemory(from: $0) }
        }
    }

    /// Copies the UTF-8 of a string.
    public convenience init(utf8 string: String) { self.init(Array(string.utf8)) }

    /// Allocates memory for `count` bytes and calls `fill`, which has to write every byte.
    package init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 8)
        base = memory
        self.count = count
        rope = nil
        outlined = nil
        fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
    }

    /// Makes one sequence of the bytes of all pieces in their order, without a copy. `shared` is
    /// the number of bytes that other objects hold in memory too; ``unsharedCount`` does not
    /// include these bytes.
    package init(joining pieces: [Bytes], shared: Int = 0) {
        let rope = Rope(pieces, shared: shared)
        self.rope = rope
        count = rope.endOffsets.last ?? 0
        base = nil
        outlined = nil
    }

    /// Makes the bytes of a document with tables.
    init(_ document: OutlinedJSON) {
        outlined = document
        count = document.count
        rope = nil
        base = nil
    }

    deinit { base?.deallocate() }

    package var array: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Calls `body` with the contiguous bytes. The pointer is valid only during the call. If the
    /// bytes are in pieces, the first call joins them.
    @inlinable
    public func withUnsafeBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        defer { withExtendedLifetime(self) {} }
        return try body(unsafeBytes)
    }

    /// The contiguous bytes. The pointer is valid as long as this object exists. So a caller has to
    /// retain the object while using the pointer.
    @usableFromInline
    internal var unsafeBytes: UnsafeRawBufferPointer {
        if let outlined { return outlined.joined.unsafeBytes }
        return UnsafeRawBufferPointer(start: rope?.joinedMemory ?? base, count: count)
    }
}

extension Bytes {
    /// The number of bytes that only this object holds in memory.
    package var unsharedCount: Int { count - (rope?.sharedByteCount ?? 0) }

    /// True if ``withUnsafeBytes(_:)`` would have to join pieces first.
    package var isInPieces: Bool {
        if let outlined { return !outlined.isJoined }
        return rope.map { !$0.isJoined } ?? false
    }

    /// True if the bytes contain a line feed or a carriage return. The first search stores its
    /// result.
    package var hasLineEnd: Bool {
        if let rope { return rope.pieces.contains(where: \.hasLineEnd) }
        let known = lineEndSearchResult.load(ordering: .relaxed)
        guard known == 0 else { return known == 2 }
        let found = withUnsafeBytes { $0.hasLineEnd }
        lineEndSearchResult.store(found ? 2 : 1, ordering: .relaxed)
        return found
    }

    /// The pieces of the bytes, each contiguous.
    package var pieces: [Bytes] { rope?.pieces ?? [joined] }

    /// Copies bytes, beginning at `offset`, until `buffer` is full or no bytes remain. Returns the
    /// number of copied bytes.
    package func copy(from offset: Int, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var rest = buffer[...]
        while !rest.isEmpty, offset + rest.startIndex < count {
            let (found, skipped) = pieces(from: offset + rest.startIndex, max: 1)
            guard let piece = found.first else { break }
            piece.withUnsafeBytes { bytes in
                let part = bytes[skipped...].prefix(rest.count)
                rest.write(UnsafeRawBufferPointer(rebasing: part))
            }
        }
        return rest.startIndex
    }

    /// Returns at most `max` pieces, beginning with the piece that contains the byte at `offset`.
    /// Also returns the offset of that byte in the first piece.
    package func pieces(from offset: Int, max: Int) -> (pieces: ArraySlice<Bytes>, offset: Int) {
        guard let rope else { return ([joined], offset) }
        let first = rope.endOffsets.partitionPoint { $0 <= offset }
        let last = min(rope.pieces.count, first + max)
        return (rope.pieces[first..<last], offset - (first == 0 ? 0 : rope.endOffsets[first - 1]))
    }
}

/// A list of pieces that together are one sequence of bytes.
private final class Rope: Sendable {
    let pieces: [Bytes]
    /// The offset at which each piece ends, counted from the first byte of the rope.
    let endOffsets: [Int]
    let sharedByteCount: Int
    // Safety: the memory is allocated and written once, under the lock, and freed by `deinit`.
    private struct JoinedMemory: @unchecked Sendable {
        let memory: UnsafeMutableRawPointer
    }

    private let joinedCopy = Locked<JoinedMemory?>(nil)
    private let wasJoined = Atomic(false)

    init(_ joining: [Bytes], shared: Int) {
        pieces = joining.contains { $0.pieces.count > 1 } ? joining.flatMap(\.pieces) : joining
        var end = 0
        endOffsets = pieces.map { piece in
            end += piece.count
            return end
        }
        self.sharedByteCount = shared
    }

    deinit { joinedCopy.withLock { $0?.memory.deallocate() } }

    /// True if the pieces are joined. Reading this property never waits for a thread that is
    /// joining them.
    var isJoined: Bool { wasJoined.load(ordering: .relaxed) }

    /// All bytes in contiguous memory. The first caller copies the bytes there; other callers wait
    /// for that copy.
    var joinedMemory: UnsafeMutableRawPointer {
        joinedCopy.withLock { joinedCopy in
            if let joinedCopy { return joinedCopy }
            let count = endOffsets.last ?? 0
            let memory = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 8)
            var rest = UnsafeMutableRawBufferPointer(start: memory, count: count)[...]
            for piece in pieces { piece.withUnsafeBytes { rest.write($0) } }
            let joined = JoinedMemory(memory: memory)
            joinedCopy = joined
            wasJoined.store(true, ordering: .relaxed)
            return joined
        }.memory
    }
}

extension [Int] {
    /// Returns the number of elements for which `isBefore` returns true, by a binary search. These
    /// elements must precede all other elements.
    package func partitionPoint(_ isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Bytes: Equatable {
    /// Returns true if both objects contain the same bytes.
    public static func == (a: Bytes, b: Bytes) -> Bool {
        if a === b { return true }
        guard a.count == b.count else { return false }
        if let mine = a.outlined, let theirs = b.outlined, let isSame = mine.isSame(as: theirs) {
            return isSame
        }
        return a.withUnsafeBytes { mine in
            b.withUnsafeBytes { theirs in mine.hasSameBytes(as: theirs) }
        }
    }
}

extension Slice<UnsafeMutableRawBufferPointer> {
    /// Copies bytes to the start of this slice, then removes the filled memory from the slice.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: self).copyMemory(from: bytes)
        self = dropFirst(bytes.count)
    }
}

extension UnsafeRawBufferPointer {
    /// True if the bytes contain a line feed or a carriage return.
    package var hasLineEnd: Bool {
        guard let start = baseAddress, !isEmpty else { return false }
        return memchr(start, 0x0A, count) != nil || memchr(start, 0x0D, count) != nil
    }

    /// Returns true if both buffers contain the same bytes. Cost: one `memcmp`.
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
        return base == otherBase || memcmp(base, otherBase, count) == 0
    }
}
