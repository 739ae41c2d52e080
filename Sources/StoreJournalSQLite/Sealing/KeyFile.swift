import Glibc
import StoreCore
import StorePlatform
import Synchronization

/// The keys of a history's owners, in a file of their own.
///
/// The file has a header and slots of 64 bytes. A new key is synced before ``key(of:)`` returns it.
/// A destroyed key is overwritten in its slot and synced, so the file never has a copy. A slot is
/// never used again.
///
/// The file is made with its first key. Only one process at a time uses the file.
package final class KeyFile: Sendable {
    static let slotBytes = 64
    /// The owner of the keys of snapshots.
    static let snapshotsOwner = ""
    private static let magic = Array("store-server keys 1\n".utf8)
    /// The maximum number of bytes that are read: the slots of about 16 million keys.
    private static let fileBytesMax = 1 << 30

    /// A digest of an owner's name.
    private struct OwnerTag: Hashable {
        let first: UInt64
        let second: UInt64
    }

    /// The content of a slot.
    enum Slot: Equatable {
        case key(SealKey)
        case destroyed
        /// The bytes of the slot are not valid, because a write of the slot was interrupted, or
        /// because the disk is damaged.
        case damaged
    }

    private static let noDescriptor: CInt = -1
    /// The value in place of a descriptor after ``close()``. Each write to it fails.
    private static let closedDescriptor: CInt = -2

    private struct Contents {
        /// The open file; ``noDescriptor`` before the first key, ``closedDescriptor`` at the end.
        var descriptor: CInt
        var slots: [Slot]
        /// The slot with the key for new values, for each owner.
        var newestSlotByOwner: [OwnerTag: UInt32] = [:]
        /// The slots with keys that seal no new values, of owners who are being forgotten.
        var retiredSlotsByOwner: [OwnerTag: [UInt32]] = [:]
        /// The slots of snapshots' keys.
        var snapshotSlots: Set<UInt32> = []
        var retirement: Retirement?

        /// Retires the keys of owners: the next value of such an owner gets a new key.
        mutating func retireKeys(of tags: [OwnerTag]) {
            for tag in tags {
                guard let slot = newestSlotByOwner.removeValue(forKey: tag) else { continue }
                retiredSlotsByOwner[tag, default: []].append(slot)
            }
        }
    }

    /// The owners of a forget whose keys are retired at a record of this origin.
    private struct Retirement {
        let owners: [OwnerTag]
        let origin: String
        var isDone = false
    }

    package let path: String
    /// The random id of the file. Each stored form with sealed values has this id.
    let id: UInt64
    private let contents: Locked<Contents>

    /// Opens the file in a directory, or prepares to make the file and the directory.
    ///
    /// - Throws: ``JournalOpenError``.
    package init(in directory: String) throws(JournalOpenError) {
        path = directory + "/keys"
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw Self.failure("opening", path) }
            var random = SystemRandomNumberGenerator()
            id = random.next()
            contents = Locked(Contents(descriptor: Self.noDescriptor, slots: []))
            return
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = Self.failure("locking", path)
            Glibc.close(descriptor)
            throw error
        }
        guard let bytes = FileReader.read(descriptor, bytesMax: Self.fileBytesMax),
            bytes.count >= Self.slotBytes, bytes.starts(with: Self.magic),
            bytes.count <= Self.fileBytesMax
        else {
            Glibc.close(descriptor)
            throw JournalOpenError(
                .foreign,
                "\(path) is no file of keys",
                hint: "give the directory of the keys of this history with --personal-keys"
            )
        }
        id = bytes.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: Self.slotBytes - 8, as: UInt64.self)
        }
        let slots = bytes.withUnsafeBytes { bytes in
            stride(from: Self.slotBytes, to: bytes.count, by: Self.slotBytes).map { start in
                Self.readSlot(
                    UnsafeRawBufferPointer(
                        rebasing: bytes[start..<min(start + Self.slotBytes, bytes.count)]
                    )
                )
            }
        }
        var read = Contents(descriptor: descriptor, slots: slots.map(\.slot))
        let snapshotsTag = Self.tag(of: Self.snapshotsOwner, in: id)
        for (index, entry) in slots.enumerated() {
            guard let owner = entry.owner else { continue }
            if let older = read.newestSlotByOwner.updateValue(UInt32(index), forKey: owner) {
                read.retiredSlotsByOwner[owner, default: []].append(older)
            }
            if owner == snapshotsTag { read.snapshotSlots.insert(UInt32(index)) }
        }
        contents = Locked(read)
    }

    deinit { close() }

    /// Closes the file, so that another journal can use the keys. This object makes and destroys no
    /// more keys. A second call does nothing.
    func close() {
        contents.withLock { contents in
            if contents.descriptor >= 0 { Glibc.close(contents.descriptor) }
            contents.descriptor = Self.closedDescriptor
        }
    }

    /// Returns true if there is a file of keys in the directory.
    package static func exists(in directory: String) -> Bool {
        access(directory + "/keys", F_OK) == 0
    }

    // Keys

    /// Returns the content of a slot; `nil` if the file has no such slot.
    func slot(_ number: UInt32) -> Slot? {
        contents.withLock { contents in
            contents.slots.indices.contains(Int(number)) ? contents.slots[Int(number)] : nil
        }
    }

    /// Returns the newest key of an owner and its slot. Makes a key if the owner has none, or if
    /// `isNew` is true. A made key is durable.
    ///
    /// - Throws: ``JournalError/storageFull``, or ``JournalError/unknown(_:)`` with the step that
    ///   failed. The file then has no new key.
    func key(of owner: String, new isNew: Bool = false) throws(JournalError) -> (UInt32, SealKey) {
        let tag = Self.tag(of: owner, in: id)
        return try contents.withLock { (contents) throws(JournalError) -> (UInt32, SealKey) in
            if !isNew, let known = contents.newestSlotByOwner[tag],
                case .key(let key) = contents.slots[Int(known)]
            {
                return (known, key)
            }
            let key = SealKey()
            guard let number = UInt32(exactly: contents.slots.count) else {
                throw .unknown("nothing was written: \(path) has no room for another key")
            }
            if contents.descriptor == Self.noDescriptor { contents.descriptor = try makeFile() }
            try write(Self.bytes(of: key, tag), to: number, contents.descriptor)
            guard fdatasync(contents.descriptor) == 0 else { throw failure("syncing") }
            contents.slots.append(.key(key))
            contents.newestSlotByOwner[tag] = number
            if owner == Self.snapshotsOwner { contents.snapshotSlots.insert(number) }
            return (number, key)
        }
    }

    /// The slots of the snapshots' keys that are not destroyed.
    var slotsOfSnapshots: Set<UInt32> { contents.withLock { $0.snapshotSlots } }

    /// Names the owners whose keys ``retirePreparedKeys()`` retires, at records of this origin.
    func prepareRetirement(of owners: [String], at origin: String) {
        let tags = owners.map { Self.tag(of: $0, in: id) }
        contents.withLock { $0.retirement = Retirement(owners: tags, origin: origin) }
    }

    /// The origin of the records at which keys are retired; `nil` if there is no forget.
    var originOfRetirement: String? { contents.withLock { $0.retirement?.origin } }

    /// Retires the keys of the prepared owners: the next value of such an owner gets a new key.
    func retirePreparedKeys() {
        contents.withLock { contents in
            contents.retireKeys(of: contents.retirement?.owners ?? [])
            contents.retirement?.isDone = true
        }
    }

    /// Ends a retirement. If no record of it has come, retires the keys of these owners now.
    func endRetirement(of owners: [String]) {
        let tags = owners.map { Self.tag(of: $0, in: id) }
        contents.withLock { contents in
            let isDone =
                contents.retirement.map {
                    $0.isDone && $0.owners == tags
                } ?? false
            if !isDone { contents.retireKeys(of: tags) }
            contents.retirement = nil
        }
    }

    /// Destroys the retired keys of owners, and the keys of snapshots in these slots. Returns when
    /// the file no longer has the keys.
    func destroyRetiredKeys(of owners: [String], and snapshots: Set<UInt32>) throws(JournalError) {
        let tags = owners.map { Self.tag(of: $0, in: id) }
        try contents.withLock { (contents) throws(JournalError) in
            let slots = snapshots.union(tags.flatMap { contents.retiredSlotsByOwner[$0] ?? [] })
            for number in slots {
                try write(Self.destroyedSlotBytes, to: number, contents.descriptor)
                contents.slots[Int(number)] = .destroyed
                contents.snapshotSlots.remove(number)
            }
            guard slots.isEmpty || fdatasync(contents.descriptor) == 0 else {
                throw failure("syncing")
            }
            for tag in tags { contents.retiredSlotsByOwner[tag] = nil }
        }
    }

    // The file

    private static func tag(of owner: String, in id: UInt64) -> OwnerTag {
        var form = CanonicalBytes(capacity: 64)
        form.append(id)
        form.append(owner)
        return form.hash.withBytes {
            OwnerTag(
                first: $0.loadUnaligned(as: UInt64.self),
                second: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
    }

    // A slot begins with 1 for a key, or 2 for a destroyed key. Seven zeros, the owner's tag and
    // the key follow. The last bytes are the first bytes of a SHA-256 over all bytes before them.

    private static func bytes(of key: SealKey, _ owner: OwnerTag) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes[0] = 1
        withUnsafeBytes(of: (owner.first, owner.second)) { bytes += Array($0) }
        key.withBytes { bytes += Array($0) }
        return withChecksum(bytes)
    }

    private static let destroyedSlotBytes = withChecksum([2] + [UInt8](repeating: 0, count: 55))

    private static func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
        let hash = bytes.withUnsafeBytes { ChainHash(hashing: $0) }
        return bytes + hash.withBytes { Array($0.prefix(8)) }
    }

    private static func readSlot(_ bytes: UnsafeRawBufferPointer) -> (slot: Slot, owner: OwnerTag?)
    {
        guard bytes.count == slotBytes, withChecksum(Array(bytes.prefix(56))) == Array(bytes) else {
            return (.damaged, nil)
        }
        if bytes[0] == 2 { return (.destroyed, nil) }
        guard let key = SealKey(UnsafeRawBufferPointer(rebasing: bytes[24..<56])) else {
            return (.damaged, nil)
        }
        let owner = OwnerTag(
            first: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            second: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        )
        return (.key(key), owner)
    }

    private func write(_ bytes: [UInt8], to slot: UInt32, _ file: CInt) throws(JournalError) {
        let offset = off_t(Self.slotBytes) * (off_t(slot) + 1)
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(file, $0.baseAddress?.advanced(by: done), $0.count - done, offset + done)
            }
            if count > 0 {
                done += count
            } else if errno != EINTR {
                throw failure("writing")
            }
        }
    }

    private func makeFile() throws(JournalError) -> CInt {
        let directory = String(path.dropLast("/keys".count))
        for index in directory.indices.dropFirst() where directory[index] == "/" {
            mkdir(String(directory[..<index]), 0o700)
        }
        if mkdir(directory, 0o700) == 0 { _ = JournalDirectory.sync(directory + "/..") }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("making") }
        var header = Self.magic
        header += [UInt8](repeating: 0, count: Self.slotBytes - 8 - header.count)
        withUnsafeBytes(of: id) { header += Array($0) }
        let isWritten = header.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard isWritten == header.count, flock(descriptor, LOCK_EX | LOCK_NB) == 0,
            fsync(descriptor) == 0, JournalDirectory.sync(directory)
        else {
            let error = failure("making")
            Glibc.close(descriptor)
            unlink(path)
            throw error
        }
        return descriptor
    }

    private func failure(_ step: String) -> JournalError {
        if errno == ENOSPC || errno == EDQUOT { return .storageFull }
        return .unknown("nothing was written: \(step) \(path) failed: \(SystemError.text)")
    }

    private static func failure(_ step: String, _ path: String) -> JournalOpenError {
        let isLocked = errno == EWOULDBLOCK
        return JournalOpenError(
            isLocked ? .inUse : .system,
            isLocked
                ? "another process uses \(path)" : "\(step) \(path) failed: \(SystemError.text)",
            hint: "check the directory of --personal-keys, and the permissions of its files"
        )
    }
}
