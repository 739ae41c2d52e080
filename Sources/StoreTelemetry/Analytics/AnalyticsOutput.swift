import Glibc
import StorePlatform

/// The destination of analytics lines: a file that is appended to, or standard output. Only one
/// thread uses it.
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

    /// Opens the file of the same name again. If that fails, the old file stays open and gets the
    /// next lines.
    mutating func reopen() throws(AnalyticsOutputError) {
        guard let path else { return }
        let new = try Self.open(path)
        close(descriptor)
        descriptor = new
    }

    /// Writes lines. Continues after short writes, however long the writing takes. Calls `progress`
    /// each time that the file has taken some bytes. Returns the number of written bytes of whole
    /// lines, and the reason if some bytes are not written.
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
                takeBack(offset - whole)
                return (whole, failure)
            }
        }
        return (offset, nil)
    }

    /// Removes an unfinished text line from the end of the file. The next event begins a new line.
    private borrowing func takeBack(_ count: Int) {
        guard count > 0 else { return }
        let end = lseek(descriptor, 0, SEEK_CUR)
        var status = stat()
        // Only a file has a position. The end of the file belongs to this process only if no other
        // process has appended.
        guard end >= count, fstat(descriptor, &status) == 0, status.st_size == end else { return }
        ftruncate(descriptor, end - count)
    }

    /// Opens a file for appending; standard output for `nil`.
    static func open(_ path: String?) throws(AnalyticsOutputError) -> CInt {
        guard let path else { return STDOUT_FILENO }
        // To open a named pipe without a reader fails, instead of holding up the start.
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
