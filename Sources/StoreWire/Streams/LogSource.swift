package import StoreJSON
package import StoreTexts

/// The port through which the stream writer reads the log, piece by piece, as fast as its readers
/// take it.
package protocol LogSource: AnyObject, Sendable {
    /// The newest version that may be sent.
    var version: UInt64 { get }

    /// Returns the records after a version that a viewer may read. The writer's thread calls this
    /// function, so it never waits: ``LogAnswer/pending`` means that another thread reads first.
    func next(after version: UInt64, for viewer: Viewer) -> LogAnswer

    /// Returns the frame for a reader that has every record up to a version.
    func caughtUp(at version: UInt64) -> Bytes
}

/// The answer of a ``LogSource`` to a reader that needs the next record.
package enum LogAnswer: Sendable {
    /// A piece of the log that contains the next record.
    case piece(LogPiece)
    /// The reader has every record up to the newest version, which is this one. The source wakes
    /// the writer when there is a newer version.
    case caughtUp(UInt64)
    /// A thread is reading the next record. The source wakes the writer when it has the record.
    case pending
    /// The records up to and including this version are removed. The reader gets a frame with the
    /// reason, and the log from the next version on.
    case gone(resync: Bytes, through: UInt64)
    /// The next record can't be read.
    case unreadable
}

/// A part of the log as bytes that are ready to send: consecutive records, each encoded as the
/// frame of one server-sent event.
///
/// The log encodes a piece once and keeps it for a while. All readers of the log share it, each at
/// its own offset, which may lie within a frame. The bytes are payload, without the framing of HTTP
/// chunks.
package final class LogPiece: Sendable {
    /// The version of the first record.
    package let first: UInt64
    /// The frames, one after the other.
    package let bytes: Bytes
    /// The offset in ``bytes`` at which each frame ends, one offset for each record, in the order
    /// of the versions. The last is the count of ``bytes``.
    package let ends: [Int]
    /// The owner of each record, in the same order; empty if every viewer may read every record.
    package let owners: [RecordOwner]

    package init(first: UInt64, bytes: Bytes, ends: [Int], owners: [RecordOwner] = []) {
        self.first = first
        self.bytes = bytes
        self.ends = ends
        self.owners = owners
    }

    /// Returns the piece for a viewer: frames that the viewer may not read are empty.
    package func visible(to viewer: Viewer) -> LogPiece {
        let isHidden = { [owners] (index: Int) in
            owners.indices.contains(index) && !owners[index].isVisible(to: viewer)
        }
        guard ends.indices.contains(where: isHidden) else { return self }
        let frames = ends.indices.map { isHidden($0) ? 0..<0 : frame($0) }
        var count = 0
        let ends = frames.map { frame in
            count += frame.count
            return count
        }
        let seen = Bytes(count: count) { buffer in
            var rest = buffer[...]
            bytes.withUnsafeBytes { bytes in
                for frame in frames { rest.append(UnsafeRawBufferPointer(rebasing: bytes[frame])) }
            }
        }
        return LogPiece(first: first, bytes: seen, ends: ends)
    }

    /// The version of the last record.
    package var last: UInt64 { first &+ UInt64(ends.count) &- 1 }

    package func contains(_ version: UInt64) -> Bool {
        version >= first && version - first < UInt64(ends.count)
    }

    /// Returns the offsets of a version's frame in ``bytes``. The piece must contain the version.
    package func place(of version: UInt64) -> Range<Int> { frame(Int(version - first)) }

    private func frame(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// Returns the end of the first frame that ends at or after `offset`. Without such a frame,
    /// returns the end of the last frame. A chunk that ends there consists of whole frames.
    package func end(from offset: Int) -> Int {
        // A frame that ends at `offset` itself is the result, so the search stops one byte before
        // `offset`.
        let index = frames(before: offset - 1)
        return index < ends.count ? ends[index] : bytes.count
    }

    /// Returns the number of frames that end at or before `offset`, by a binary search.
    package func frames(before offset: Int) -> Int { ends.partitionPoint { $0 <= offset } }
}

/// The session and the module of a record, which decide who may read it.
package struct RecordOwner: Equatable, Sendable {
    /// The session that the record belongs to; `nil` if it belongs to no session.
    package let session: ExactText?
    /// The module of the record; `nil` if the record is about the whole state, or about no module.
    package let module: String?

    package init(session: ExactText? = nil, module: String? = nil) {
        self.session = session
        self.module = module
    }

    /// True if a viewer may read the record. A viewer of one session may not read the records of
    /// other sessions. A viewer with a sight may read only records of modules in its sight.
    package func isVisible(to viewer: Viewer) -> Bool {
        if let session, let own = viewer.session, session != own { return false }
        guard let sight = viewer.sight else { return true }
        return module.map { sight.sees(module: $0) } ?? false
    }
}
