import Glibc
import StorePlatform

/// The writer of lines to a file or to standard output.
package final class LineOutput {
    private let name: String
    private let stream: UnsafeMutablePointer<FILE>
    private let isFile: Bool

    /// Makes the file, which must not exist yet. Only the owner may read the file, because it
    /// contains the whole history. Without a name, the lines go to standard output.
    package init(_ file: String?) throws {
        name = file ?? "standard output"
        isFile = file != nil
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = file.map { open($0, flags, 0o600) } ?? STDOUT_FILENO
        guard descriptor >= 0, let opened = fdopen(descriptor, "w") else {
            let reason = SystemError.text
            if isFile, descriptor >= 0 { close(descriptor) }
            throw CommandFailure("making \(name) failed: \(reason)")
        }
        stream = opened
    }

    deinit {
        if isFile { fclose(stream) }
    }

    package func write(_ line: [UInt8]) throws {
        guard fwrite(line, 1, line.count, stream) == line.count else { throw failure }
    }

    /// Flushes the lines; a file is also synced to the disk.
    package func finish() throws {
        guard fflush(stream) == 0, !isFile || fsync(fileno(stream)) == 0 else { throw failure }
    }

    private var failure: CommandFailure {
        CommandFailure("writing \(name) failed: \(SystemError.text)")
    }
}

/// The reader of the lines of a file, or of standard input if the name is `-`.
package final class LineInput {
    private let name: String
    private let stream: UnsafeMutablePointer<FILE>
    private var buffer: UnsafeMutablePointer<CChar>?
    private var capacity = 0
    /// The number of the last line that was read, from 1; 0 before the first line.
    package private(set) var lineNumber = 0

    package init(_ file: String) throws {
        name = file
        guard let opened = file == "-" ? fdopen(STDIN_FILENO, "r") : fopen(file, "re") else {
            throw CommandFailure("reading \(file) failed: \(SystemError.text)")
        }
        stream = opened
    }

    deinit {
        free(buffer)
        if name != "-" { fclose(stream) }
    }

    /// Returns the number of lines in a file; 0 for standard input.
    package static func countLines(in file: String) throws -> UInt64 {
        guard file != "-" else { return 0 }
        let input = try LineInput(file)
        var count: UInt64 = 0
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let read = fread(&chunk, 1, chunk.count, input.stream)
            guard read > 0 else { return count }
            for byte in chunk[..<read] where byte == UInt8(ascii: "\n") { count += 1 }
        }
    }

    /// Returns the next line that is not empty, without its line feed; `nil` after the last line.
    package func next() throws -> [UInt8]? {
        while true {
            let count = getline(&buffer, &capacity, stream)
            guard count >= 0, let buffer else {
                guard ferror(stream) == 0 else {
                    throw CommandFailure("reading \(name) failed: \(SystemError.text)")
                }
                return nil
            }
            lineNumber += 1
            let line = UnsafeRawBufferPointer(start: buffer, count: count)
                .filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            if !line.isEmpty { return line }
        }
    }
}

/// A progress bar in the last line of standard error, if standard error is a terminal.
package enum ProgressBar {
    private static let columns = 20

    package static var isAvailable: Bool { isatty(STDERR_FILENO) == 1 }

    /// Draws the bar in place of the previous bar. `share` is the finished share of the work,
    /// between 0 and 1.
    package static func show(_ share: Double, _ text: String) {
        let full = max(0, min(columns, Int(share * Double(columns))))
        let rest = String(repeating: " ", count: columns - full)
        write("\r[" + String(repeating: "█", count: full) + rest + "] \(text)\u{1B}[K")
    }

    package static func clear() { write("\r\u{1B}[K") }

    /// Writes the text. Errors are ignored, because no command depends on the bar.
    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
