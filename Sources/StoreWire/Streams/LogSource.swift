package import StoreJSON
package import StoreTexts

/// The port through which the stream writer reads the log. The writer reads the next piece when a
/// reader of the stream needs it.
package protocol LogSource: AnyObject, Sendable {
    /// The newest version that the writer may send.
    var newestVersion: UInt64 { get }

    /// Returns records after a version, without the records that a viewer may not read. The
    /// writer's thread calls this function, so the function never waits. If another thread has to
    /// read the records first, the answer is ``LogAnswer/pending``.
    func next(after version: UInt64, for viewer: Viewer) -> LogAnswer

    /// Returns the frame `caught-up` for a reader that has all records up to a version.
    func caughtUpFrame(at version: UInt64) -> Bytes
}

/// The answer of a ``LogSource`` to a reader that needs the next record.
package enum LogAnswer: Sendable {
    /// A piece of the log that contains the next record.
    case piece(LogPiece)
    /// The reader has all records; the value is the newest version. The source wakes the writer
    /// when there is a newer version.
    case caughtUp(UInt64)
    /// Another thread is reading the next record. The source wakes the writer when the record is
    /// ready.
    case pending
    /// The records up to the version `through` were deleted. The reader gets the frame `resync`
    /// with the reason, and then the records after that version.
    case gone(resync: Bytes, through: UInt64)
    /// The source can't read the next record.
    case unreadable
}

/// Consecutive records of the log as bytes that are ready to send. Each record is the frame of one
/// server-sent event.
///
/// The log encodes a piece once, and keeps the piece for a while. All readers of the log share the
/// piece. Each reader has its own offset, which may be within a frame. The bytes do not contain the
/// framing of HTTP chunks.
package final class LogPiece: Sendable {
    /// The version of the first record.
    package let firstVersion: UInt64
    /// The frames, one after the other.
    package let bytes: Bytes
    /// The offset in ``bytes`` at which the frame of each record ends, in the order of the
    /// versions. The last offset is the count of ``bytes``.
    package let frameEnds: [Int]
    /// The owner of each record, in the order of the versions. Empty if every viewer may read every
    /// record.
    package let owners: [RecordOwner]

    package init(firstVersion: UInt64, bytes: Bytes, frameEnds: [Int], owners: [RecordOwner] = []) {
        self.firstVersion = firstVersion
        self.bytes = bytes
        self.frameEnds = frameEnds
        self.owners = owners
    }

    /// Returns the piece for a viewer. The frames of records that the viewer may not read are
    /// empty.
    package func filtered(for viewer: Viewer) -> LogPiece {
        let isHidden = { [owners] (index: Int) in
            owners.indices.contains(index) && !owners[index].isVisible(to: viewer)
        }
        guard frameEnds.indices.contains(where: isHidden) else { return self }
        let frames = frameEnds.indices.map { isHidden($0) ? 0..<0 : frameRange(at: $0) }
        var count = 0
        let ends = frames.map { frame in
            count += frame.count
            return count
        }
        let seen = Bytes(count: count) { buffer in
            var rest = buffer[...]
            bytes.withUnsafeBytes { bytes in
                for frame in frames { rest.write(UnsafeRawBufferPointer(rebasing: bytes[frame])) }
            }
        }
        return LogPiece(firstVersion: firstVersion, bytes: seen, frameEnds: ends)
    }

    /// The version of the last record.
    package var lastVersion: UInt64 { firstVersion &+ UInt64(frameEnds.count) &- 1 }

    package func contains(_ version: UInt64) -> Bool {
        version >= firstVersion && version - firstVersion < UInt64(frameEnds.count)
    }

    /// Returns the range of a version's frame in ``bytes``. The piece must contain the version.
    package func frameRange(of version: UInt64) -> Range<Int> {
        frameRange(at: Int(version - firstVersion))
    }

    private func frameRange(at index: Int) -> Range<Int> {
        (index == 0 ? 0 : frameEnds[index - 1])..<frameEnds[index]
    }

    /// Returns the end of the first frame that ends at or after `offset`. If there is no such
    /// frame, returns the end of the last frame. A chunk with this end does not cut a frame.
    package func frameEnd(atOrAfter offset: Int) -> Int {
        // Skip only frames that end before `offset`. A frame that ends at `offset` is the result.
        let index = frameCount(endingAtOrBefore: offset - 1)
        return index < frameEnds.count ? frameEnds[index] : bytes.count
    }

    /// Returns the number of frames that end at or before `offset`, by a binary search.
    package func frameCount(endingAtOrBefore offset: Int) -> Int {
        frameEnds.partitionPoint { $0 <= offset }
    }
}

/// The owner and the module of a record. They decide which viewers may read the record.
package struct RecordOwner: Equatable, Sendable {
    /// The session or the user that the record belongs to; `nil` if the record has no owner. The
    /// names of sessions and users never collide.
    package let owner: ExactText?
    /// The module whose slice the record's action concerns; `nil` if the action concerns the whole
    /// state or no module.
    package let module: String?
    /// The names of the readers, if the action is on a restricted slice (``ReaderName``); `nil` for
    /// any other action.
    package let readers: [String]?

    package init(owner: ExactText? = nil, module: String? = nil, readers: [String]? = nil) {
        self.owner = owner
        self.module = module
        self.readers = readers
    }

    /// Returns true if a viewer may read the record. A viewer with a session may not read the
    /// records of other sessions and users. A viewer with a sight may read only records of modules
    /// in its sight. A viewer with a ``Viewer/readerName`` may read a record of a restricted slice
    /// only if this name is among the record's readers.
    package func isVisible(to viewer: Viewer) -> Bool {
        if let readers, let client = viewer.readerName,
            !ReaderName.isIncluded(client, in: readers)
        {
            return false
        }
        if let owner, viewer.session != nil, owner != viewer.session, owner != viewer.owner {
            return false
        }
        guard let sight = viewer.sight else { return true }
        return module.map { sight.sees(module: $0) } ?? false
    }
}
