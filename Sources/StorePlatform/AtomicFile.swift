import Glibc

/// A file that other programs find whole at any time: with what it had, or with what was written.
package enum AtomicFile {
    /// Replaces what the file has, durable: a file beside it, synced, takes its name, and the
    /// folder is synced. Where that fails the file is as it was.
    ///
    /// The file beside it is `<path>.new`; what an earlier process left there is removed. Who may
    /// read the file is said by `mode`, less what the process's mask takes away. A file of another
    /// user stays that user's, where root writes it.
    ///
    /// - Throws: ``AtomicFileError`` with the step that failed.
    package static func write(
        _ bytes: [UInt8],
        to path: String,
        mode: UInt32 = 0o640
    ) throws(AtomicFileError) {
        let new = path + ".new"
        unlink(new)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(new, flags, mode)
        guard descriptor >= 0 else { throw AtomicFileError("making '\(new)'") }
        keepOwner(of: path, in: descriptor)
        if let failure = fill(descriptor, with: bytes, new) ?? replace(path, by: new) {
            unlink(new)
            throw failure
        }
        try sync(folderOf: path)
    }

    /// Where root replaces a server's file, that server is to read the new one, too.
    private static func keepOwner(of path: String, in descriptor: CInt) {
        var old = stat()
        guard geteuid() == 0, stat(path, &old) == 0 else { return }
        _ = fchown(descriptor, old.st_uid, old.st_gid)
    }

    /// Writes and closes the file. Returns what failed.
    private static func fill(
        _ descriptor: CInt,
        with bytes: [UInt8],
        _ path: String
    ) -> AtomicFileError? {
        var failure: AtomicFileError?
        var offset = 0
        while offset < bytes.count, failure == nil {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset)
            }
            if count > 0 {
                offset += count
            } else if errno != EINTR {
                failure = AtomicFileError("writing '\(path)'")
            }
        }
        if failure == nil, fsync(descriptor) != 0 {
            failure = AtomicFileError("syncing '\(path)'")
        }
        if close(descriptor) != 0, failure == nil {
            failure = AtomicFileError("closing '\(path)'")
        }
        return failure
    }

    private static func replace(_ path: String, by new: String) -> AtomicFileError? {
        rename(new, path) == 0 ? nil : AtomicFileError("renaming '\(new)' to '\(path)'")
    }

    private static func sync(folderOf path: String) throws(AtomicFileError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AtomicFileError("opening the folder '\(folder)'") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw AtomicFileError("syncing '\(folder)'") }
    }
}

/// Why a file could not be replaced.
package struct AtomicFileError: Error, CustomStringConvertible {
    package let description: String

    /// What was attempted; the reason is that of `errno`.
    init(_ attempted: String) {
        description = "\(attempted) failed: \(SystemError.text)"
    }
}
