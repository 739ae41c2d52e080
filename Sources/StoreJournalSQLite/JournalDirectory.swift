import Glibc
import StorePlatform

/// The directory of a journal. Only one process at a time may use the directory.
///
/// The process holds `flock` on the file `lock` until this object is released. SQLite has POSIX
/// locks on `store.db`, so only SQLite may open that file. If a process closes any descriptor of a
/// file, the process loses all its POSIX locks on the file.
final class JournalDirectory: Sendable {
    let path: String
    private let lockDescriptor: CInt

    var databasePath: String { path + "/store.db" }
    var markPath: String { path + "/mark" }

    init(_ path: String) throws(JournalOpenError) {
        self.path = path
        try Self.prepare(path)
        lockDescriptor = try Self.lock(path)
    }

    deinit { close(lockDescriptor) }

    /// Returns the size of a file in bytes; `nil` if the file does not exist.
    func size(of file: String) -> Int? {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Makes changes of the directory's entries durable.
    func sync() throws(JournalOpenError) {
        guard Self.sync(path) else { throw Self.failure("making entries durable in", path) }
    }

    static func sync(_ directory: String) -> Bool {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }
}

extension JournalDirectory {
    private static func prepare(_ path: String) throws(JournalOpenError) {
        var status = stat()
        if stat(path, &status) != 0 {
            guard errno == ENOENT else { throw failure("looking at", path) }
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("making", path) }
            _ = sync(path + "/..")
            guard stat(path, &status) == 0 else { throw failure("looking at", path) }
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw JournalOpenError(
                .directory,
                "the journal needs a directory, and \(path) is not a directory",
                hint: "give a directory with --data, or move that file away"
            )
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            let (owner, user) = (status.st_uid, geteuid())
            let (reason, remedy) =
                if errno == EROFS {
                    ("its file system is read-only", "mount it writable")
                } else if owner == user {
                    ("its mode does not allow its owner to write", "chmod u+rwx \(path)")
                } else {
                    (
                        "it belongs to user \(owner), and this process runs as user \(user)",
                        "chown \(user) \(path)"
                    )
                }
            throw JournalOpenError(
                .directory,
                "the journal can't write to \(path): \(reason)",
                hint: "\(remedy), or give another directory with --data"
            )
        }
    }

    private static func lock(_ path: String) throws(JournalOpenError) -> CInt {
        let descriptor = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("opening the lock in", path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let held = errno == EWOULDBLOCK
            let holder = held ? processID(in: descriptor) : nil
            close(descriptor)
            guard held else { throw failure("locking", path) }
            throw JournalOpenError(
                .inUse,
                "another server uses \(path)" + (holder.map { ", process \($0)" } ?? ""),
                hint: "stop it first, or give another directory with --data"
            )
        }
        // The process id in the file only helps the operator. So an error of this write, such as a
        // full disk, is ignored.
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
        return descriptor
    }

    private static func processID(in descriptor: CInt) -> Int? {
        let text = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
        return Int(text.prefix { $0.isNumber })
    }

    private static func failure(_ attempted: String, _ path: String) -> JournalOpenError {
        let reason = SystemError.text
        return JournalOpenError(
            .directory,
            "\(attempted) \(path) failed: \(reason)",
            hint: "give this process permission to use the directory, or give another directory "
                + "with --data"
        )
    }
}
