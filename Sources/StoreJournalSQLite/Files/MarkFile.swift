import Dispatch
import Glibc
import StoreCore
import StorePlatform
import Synchronization

/// The file `mark`, which has the high-water mark in two slots. They are written in turn, so that a
/// torn write leaves one.
///
/// Each commit writes it and does not wait for the disk. It is synced about once a second while it
/// changes: it may lag behind the database after a power cut, and never runs ahead of it.
final class MarkFile: Sendable {
    /// The slots lie in different blocks of the disk.
    static let slotBytes = 4_096
    static let syncMilliseconds = 1_000

    enum Found: Equatable {
        case nothing
        /// There is a file, and no slot of it is whole.
        case unreadable
        case mark(HighWaterMark)
    }

    private struct Writing: ~Copyable {
        var sequence: UInt64
        /// Whether the last write failed: of several failures in a row, the first is logged.
        var failed = false
        var form = CanonicalBytes(capacity: 128)
    }

    private let descriptor: CInt
    private let writing: Locked<Writing>
    private let syncIsDue = Atomic<Bool>(false)
    private let queue = DispatchQueue(label: "journal.mark", qos: .utility)
    private let failed: @Sendable (String) -> Void

    /// What the file holds.
    static func read(_ path: String) -> Found {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT ? .nothing : .unreadable }
        defer { close(descriptor) }
        let newest = withUnsafeTemporaryAllocation(
            byteCount: HighWaterMark.bytesCount,
            alignment: 8
        ) {
            buffer in
            [0, slotBytes].compactMap { offset -> HighWaterMark? in
                let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
                guard count == buffer.count else { return nil }
                return HighWaterMark(UnsafeRawBufferPointer(buffer))
            }.max { $0.sequence < $1.sequence }
        }
        return newest.map { .mark($0) } ?? .unreadable
    }

    /// Opens the file whose highest sequence this is, or puts a new one in its place where that is
    /// `nil`, and writes a first mark that is durable when this returns, once the directory is
    /// synced. `nil` where the system refuses.
    ///
    /// A new file gets its name when it is whole: a process that ends before leaves none, rather
    /// than one that can't be read. When a later write or sync fails, `failed` is called on a
    /// thread of the system's pool.
    init?(
        _ path: String,
        after sequence: UInt64?,
        epoch: UInt32,
        end: ChainPosition,
        failed: @escaping @Sendable (String) -> Void
    ) {
        let file = sequence == nil ? path + ".new" : path
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        writing = Locked(Writing(sequence: sequence ?? 0))
        self.failed = failed
        // Both slots, so that their place on the disk is theirs from the beginning.
        guard descriptor >= 0, put(epoch, end), put(epoch, end), fsync(descriptor) == 0,
            file == path || rename(file, path) == 0
        else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Writes where the history ends now, and has it synced within about a second.
    func write(epoch: UInt32, end: ChainPosition) {
        guard put(epoch, end) else { return }
        guard !syncIsDue.exchange(true, ordering: .relaxed) else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.syncMilliseconds)) { [weak self] in
            self?.sync()
        }
    }

    /// Makes the newest mark durable.
    func sync() {
        syncIsDue.store(false, ordering: .relaxed)
        if fdatasync(descriptor) != 0 {
            failed("syncing the mark failed: \(SystemError.text)")
        }
    }

    private func put(_ epoch: UInt32, _ end: ChainPosition) -> Bool {
        let (written, error) = writing.withLock { writing in
            writing.sequence += 1
            let mark = HighWaterMark(sequence: writing.sequence, epoch: epoch, end: end)
            mark.put(into: &writing.form)
            let offset = Int(writing.sequence % 2) * Self.slotBytes
            let bytes = writing.form.bytes
            let written =
                pwrite(descriptor, bytes.baseAddress, bytes.count, offset) == bytes.count
            let isNew = !written && !writing.failed
            writing.failed = !written
            return (written, isNew ? errno : nil)
        }
        if let error {
            // On another thread: a commit must not wait for the operator's log.
            queue.async { [failed] in
                failed("writing the mark failed: \(SystemError.text(of: error))")
            }
        }
        return written
    }
}
