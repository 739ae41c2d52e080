import Dispatch
import Glibc
import StoreCore
import StorePlatform
import Synchronization

/// The file `mark`, which has the high-water mark in two slots. The writes alternate between the
/// slots, so that a torn write leaves the other slot intact.
///
/// Each commit writes the file and does not wait for the disk. A sync follows within about a
/// second. So after a power cut the mark may be behind the database. The mark is never ahead of the
/// database.
final class MarkFile: Sendable {
    /// The distance between the slots, in bytes. At this distance, the slots are in different
    /// blocks of the disk.
    static let slotStride = 4_096
    static let syncDelayMilliseconds = 1_000

    enum ReadResult: Equatable {
        case noFile
        /// The file exists, but can't be opened, or has no intact slot.
        case unreadable
        case mark(HighWaterMark)

        var mark: HighWaterMark? { if case .mark(let mark) = self { mark } else { nil } }
    }

    private struct WriteState: ~Copyable {
        var sequenceNumber: UInt64
        /// True if the last write failed. Only the first of several failures in a row is logged.
        var hasLastWriteFailed = false
        var formBuffer = CanonicalBytes(capacity: 128)
    }

    private let descriptor: CInt
    private let writeState: Locked<WriteState>
    private let syncIsDue = Atomic<Bool>(false)
    private let queue = DispatchQueue(label: "journal.mark", qos: .utility)
    private let onFailure: @Sendable (String) -> Void

    static func read(_ path: String) -> ReadResult {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT ? .noFile : .unreadable }
        defer { close(descriptor) }
        let size = HighWaterMark.bytesCount
        let newest = withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
            [0, slotStride].compactMap { offset -> HighWaterMark? in
                let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
                guard count == buffer.count else { return nil }
                return HighWaterMark(UnsafeRawBufferPointer(buffer))
            }.max { $0.sequenceNumber < $1.sequenceNumber }
        }
        return newest.map { .mark($0) } ?? .unreadable
    }

    /// Opens the file and writes a first mark. The mark is durable after the next sync of the
    /// directory. Returns `nil` if the system reports an error.
    ///
    /// A new file gets its name only when it is complete. So a process that ends earlier leaves no
    /// unreadable file.
    ///
    /// `sequence` is the highest sequence number in the file. If `sequence` is `nil`, a new file
    /// replaces the old file. `onFailure` is called on a thread of the system's pool if a later
    /// write or sync fails.
    init?(
        _ path: String,
        after sequence: UInt64?,
        epoch: UInt32,
        end: ChainPosition,
        onFailure: @escaping @Sendable (String) -> Void
    ) {
        let file = sequence == nil ? path + ".new" : path
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        writeState = Locked(WriteState(sequenceNumber: sequence ?? 0))
        self.onFailure = onFailure
        // Both slots are written, so that the file system allocates the blocks of both slots now.
        guard descriptor >= 0, writeSlot(epoch, end), writeSlot(epoch, end), fsync(descriptor) == 0,
            file == path || rename(file, path) == 0
        else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes the new end of the history, and schedules a sync within about a second.
    func write(epoch: UInt32, end: ChainPosition) {
        guard writeSlot(epoch, end) else { return }
        guard !syncIsDue.exchange(true, ordering: .relaxed) else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Self.syncDelayMilliseconds)) {
            [weak self] in
            self?.sync()
        }
    }

    func sync() {
        syncIsDue.store(false, ordering: .relaxed)
        if fdatasync(descriptor) != 0 { onFailure("syncing the mark failed: \(SystemError.text)") }
    }

    private func writeSlot(_ epoch: UInt32, _ end: ChainPosition) -> Bool {
        let (written, error) = writeState.withLock { writing in
            writing.sequenceNumber += 1
            let mark = HighWaterMark(sequenceNumber: writing.sequenceNumber, epoch: epoch, end: end)
            mark.encode(into: &writing.formBuffer)
            let offset = Int(writing.sequenceNumber % 2) * Self.slotStride
            let bytes = writing.formBuffer.bytes
            let written = pwrite(descriptor, bytes.baseAddress, bytes.count, offset) == bytes.count
            let isNew = !written && !writing.hasLastWriteFailed
            writing.hasLastWriteFailed = !written
            return (written, isNew ? errno : nil)
        }
        if let error {
            // Another thread reports the failure, because a commit must not wait for the operator's
            // log.
            queue.async { [onFailure] in
                onFailure("writing the mark failed: \(SystemError.text(of: error))")
            }
        }
        return written
    }
}

/// The position of the chain's last written record, in a file beside the database. A start reports
/// a loss if the database ends before this position.
struct HighWaterMark: Equatable, Sendable {
    /// The size of a mark in the file, with its checksum.
    static let bytesCount = 96
    private static let magic: UInt64 = 0x314B_5241_4D4C_4A53  // "SJLMARK1"

    /// The number of the write; the mark with the higher number is newer.
    var sequenceNumber: UInt64
    var epoch: UInt32
    var end: ChainPosition
}

extension HighWaterMark {
    /// Reads one slot; `nil` if the slot is torn or was never written.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.bytesCount,
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self) == Self.magic,
            let hash = ChainHash(UnsafeRawBufferPointer(rebasing: bytes[32..<64])),
            let sum = ChainHash(UnsafeRawBufferPointer(rebasing: bytes[64..<96])),
            sum == ChainHash(hashing: UnsafeRawBufferPointer(rebasing: bytes[..<64]))
        else { return nil }
        sequenceNumber = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        let version = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        epoch = bytes.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
        end = ChainPosition(version: version, hash: hash)
    }

    func encode(into form: inout CanonicalBytes) {
        form.clear()
        form.append(Self.magic)
        form.append(sequenceNumber)
        form.append(end.version)
        form.append(epoch)
        form.append(UInt32(0))
        end.hash.withBytes { _ = form.append($0) }
        form.hash.withBytes { _ = form.append($0) }
    }
}
