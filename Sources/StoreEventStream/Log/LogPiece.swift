package import StoreWire

/// Part of the log as bytes that are ready to send: a run of records without a gap, each encoded as
/// one server-sent event, its frame.
///
/// The log encodes a piece once and keeps it for a while. All readers of the log share it, each at
/// its own offset, also amid a frame. The bytes are what a response carries, without the framing of
/// HTTP chunks.
package final class LogPiece: Sendable {
    /// The version of the first record.
    package let first: UInt64
    /// The frames, one after the other.
    package let bytes: Bytes
    /// The offset in ``bytes`` at which each frame ends, in the order of the versions: one for each
    /// record, and the last is the count of ``bytes``.
    package let ends: [Int]
    /// Who may read each record, in the same order. Empty where all may read all.
    package let owners: [RecordOwner]

    package init(first: UInt64, bytes: Bytes, ends: [Int], owners: [RecordOwner] = []) {
        self.first = first
        self.bytes = bytes
        self.ends = ends
        self.owners = owners
    }

    /// The piece as a viewer may read it: the frames of records that it may not read are empty.
    package func visible(to viewer: Viewer) -> LogPiece {
        let isHidden = { [owners] (index: Int) in
            owners.indices.contains(index) && !owners[index].isVisible(to: viewer)
        }
        guard ends.indices.contains(where: isHidden) else { return self }
        var seen: [Range<Int>] = []
        var ends: [Int] = []
        ends.reserveCapacity(self.ends.count)
        var count = 0
        for index in self.ends.indices {
            let frame = (index == 0 ? 0 : self.ends[index - 1])..<self.ends[index]
            if !isHidden(index) {
                seen.append(frame)
                count += frame.count
            }
            ends.append(count)
        }
        let frames = Bytes(count: count) { buffer in
            var offset = 0
            bytes.withUnsafeBytes { bytes in
                for frame in seen {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[offset...])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[frame]))
                    offset += frame.count
                }
            }
        }
        return LogPiece(first: first, bytes: frames, ends: ends)
    }

    /// The version of the last record.
    package var last: UInt64 { first &+ UInt64(ends.count) &- 1 }

    package func contains(_ version: UInt64) -> Bool {
        version >= first && version - first < UInt64(ends.count)
    }

    /// The offsets of a version's frame in ``bytes``. The piece has to contain the version.
    func place(of version: UInt64) -> Range<Int> {
        let index = Int(version - first)
        return (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// The end of the first frame that ends at `offset` or after it; the end of the last frame
    /// where none does. So a chunk that is cut here consists of whole frames.
    package func end(from offset: Int) -> Int {
        // A frame that ends at `offset` itself is the one that is looked for, so it is not counted.
        let index = frames(before: offset - 1)
        return index < ends.count ? ends[index] : bytes.count
    }

    /// How many frames end at `offset` or before it. A binary search.
    func frames(before offset: Int) -> Int {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
