import Glibc

/// Replaces a file as a whole. Other programs find either all old bytes or all new bytes of the
/// file.
package enum AtomicFile {
    /// Replaces the bytes of the file, and makes them durable. The function writes and syncs a new
    /// file, renames the new file to the old name, and syncs the folder.
    ///
    /// The new file has the name `<path>.new` until it is renamed. A file of that name from an
    /// earlier process is removed. The new file's permissions are `mode` without the bits of the
    /// process's umask. If root replaces another user's file, that user owns the new file, too.
    ///
    /// - Throws: ``AtomicFileError`` with the step that failed. The file is unchanged, unless only
    ///   the last step failed. In that case the file has the new bytes, which a power failure may
    ///   undo.
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
        if let failure = writeAndClose(descriptor, with: bytes, new) ?? replace(path, by: new) {
            unlink(new)
            throw failure
        }
        try sync(folderOf: path)
    }

    /// Gives the new file the old file's owner and group if root writes the file. So a server that
    /// runs as the owner can still read the file.
    private static func keepOwner(of path: String, in descriptor: CInt) {
        var old = stat()
        guard geteuid() == 0, stat(path, &old) == 0 else { return }
        _ = fchown(descriptor, old.st_uid, old.st_gid)
    }

    /// Writes, syncs and closes the file. Returns the first error, or `nil`.
    private static func writeAndClose(
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

/// The reason why a file could not be replaced.
package struct AtomicFileError: Error, CustomStringConvertible {
    package let description: String

    /// Makes an error from a failed step; `errno` gives the reason.
    init(_ attempted: String) { description = "\(attempted) failed: \(SystemError.text)" }
}

package enum FileReader {
    /// Returns the file's bytes; `nil` if an error occurs. If the file is larger than `bytesMax`,
    /// the result also has more than `bytesMax` bytes, but at most 64 KiB more.
    package static func read(_ path: String, bytesMax: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return read(descriptor, bytesMax: bytesMax)
    }

    /// Returns the bytes of an open file from its current position; `nil` if an error occurs. If
    /// the file is larger than `bytesMax`, the result also has more than `bytesMax` bytes, but at
    /// most 64 KiB more.
    package static func read(_ descriptor: CInt, bytesMax: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= bytesMax {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                return nil
            }
            bytes += buffer[..<count]
        }
        return bytes
    }
}

/// The texts of the system's errors (`strerror(3)`).
package enum SystemError {
    /// The text of the current `errno`.
    package static var text: String { text(of: errno) }

    /// Returns the text of an error number. Any thread may call this function, unlike `strerror`.
    package static func text(of code: CInt) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
            as: UTF8.self
        )
    }
}
