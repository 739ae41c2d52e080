import Glibc
import StorePlatform

/// The destination of analytics lines: standard output, or a file to which lines are appended. Only
/// one thread uses an output.
struct AnalyticsOutput: ~Copyable {
    /// The path of the file; `nil` for standard output.
    private let path: String?
    private var descriptor: CInt

    /// Takes over the descriptor that ``open(_:)`` returned for `path`.
    init(path: String?, descriptor: CInt) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        if path != nil { close(descriptor) }
    }

    /// Opens the file at the path again. If that fails, the old file stays open and gets the next
    /// lines.
    mutating func reopen() throws(AnalyticsOutputError) {
        guard let path else { return }
        let new = try Self.open(path)
        close(descriptor)
        descriptor = new
    }

    /// Writes lines. Continues after a short write, without a limit of time. Calls `progress` each
    /// time that the destination has taken some bytes. Returns the number of bytes in the
    /// completely written lines. If some bytes were not written, also returns the reason.
    borrowing func write(
        _ bytes: [UInt8],
        progress: () -> Void
    ) -> (written: Int, failure: String?) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset)
            }
            if count > 0 {
                offset += count
                progress()
            } else if errno == EAGAIN {
                // The destination is a named pipe, or a standard output that another process made
                // non-blocking.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
            } else if errno != EINTR {
                let failure = SystemError.text
                let whole = bytes[..<offset].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
                removeUnfinishedLine(bytes: offset - whole)
                return (whole, failure)
            }
        }
        return (offset, nil)
    }

    /// Removes the last `count` bytes of the file, which are the beginning of an unfinished line.
    /// So the next event begins a new line.
    private borrowing func removeUnfinishedLine(bytes count: Int) {
        guard count > 0 else { return }
        let end = lseek(descriptor, 0, SEEK_CUR)
        var status = stat()
        // Only a file has a position. The size differs from the position if another process has
        // appended to the file.
        guard end >= count, fstat(descriptor, &status) == 0, status.st_size == end else { return }
        ftruncate(descriptor, end - count)
    }

    /// Opens a file for appending. Returns standard output if `path` is `nil`.
    static func open(_ path: String?) throws(AnalyticsOutputError) -> CInt {
        guard let path else { return STDOUT_FILENO }
        // With `O_NONBLOCK`, opening a named pipe without a reader fails, and does not hold up the
        // start.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
        let descriptor = Glibc.open(path, flags, 0o640)
        guard descriptor >= 0 else {
            throw AnalyticsOutputError(
                description: "can't append to '\(path)': \(SystemError.text)"
            )
        }
        return descriptor
    }
}

/// The reason why the destination of analytics lines cannot be opened.
package struct AnalyticsOutputError: Error, CustomStringConvertible {
    package let description: String
}
