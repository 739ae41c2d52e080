package import Wire

/// Records that follow one another without a hole, each encoded as a frame of payload.
package final class LogPiece: Sendable {
    /// The version of the first record.
    package let first: UInt64
    /// The frames, one behind the other.
    package let bytes: Bytes
    /// Where in ``bytes`` each frame ends.
    package let ends: [Int]

    package init(first: UInt64, bytes: Bytes, ends: [Int]) {
        self.first = first
        self.bytes = bytes
        self.ends = ends
    }

    /// The version of the last record.
    package var last: UInt64 { first &+ UInt64(ends.count) &- 1 }

    package func contains(_ version: UInt64) -> Bool {
        version >= first && version - first < UInt64(ends.count)
    }

    /// Where the frame of a version lies, which has to be one of the piece's.
    func place(of version: UInt64) -> Range<Int> {
        let index = Int(version - first)
        return (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// The end of the first frame that ends at `offset` or behind it; that of the last frame where
    /// none does.
    package func end(from offset: Int) -> Int {
        let index = frames(before: offset - 1)
        return index < ends.count ? ends[index] : bytes.count
    }

    /// How many frames lie whole before `offset`.
    func frames(before offset: Int) -> Int {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
