import Glibc
import StoreDigest
import StorePlatform

/// A file in the data directory about the last program that verified the history. The first line is
/// the SHA-256 of the program's executable. `verify --if-new` reads and writes the file.
///
/// The second line has the size and the modification time of the executable. A start compares only
/// this line, because a digest would take too long. If another program starts to serve the history,
/// that program removes the file. Otherwise the file would seem to cover the new records, which no
/// program has verified.
struct VerificationFile {
    private let path: String

    init(in directory: String) { path = directory + "/verified" }

    /// True if the last program that verified the history is this program.
    var namesThisProgram: Bool {
        guard let program = Self.executableDigest else { return false }
        return text?.hasPrefix(program) == true
    }

    /// Writes the file: this program has verified the history. If the file can't be written, the
    /// next `verify --if-new` verifies the history again.
    func write() {
        guard let program = Self.executableDigest, let stamp = Self.executableSizeAndTime else {
            return
        }
        try? AtomicFile.write(Array((program + stamp).utf8), to: path, mode: 0o600)
    }

    /// Removes the file if it is about another program. A start calls this function before it
    /// appends to the history.
    func removeUnlessOfThisProgram() {
        guard let text, Self.executableSizeAndTime.map(text.hasSuffix) != true else { return }
        unlink(path)
    }

    private var text: String? {
        FileReader.read(path, bytesMax: 1_024).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The size and the modification time of the executable; `nil` if they can't be read.
    private static var executableSizeAndTime: String? {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0 else { return nil }
        let time = status.st_mtim
        return "\(status.st_size) \(time.tv_sec).\(time.tv_nsec)\n"
    }

    /// The digest of the executable, with a line feed; `nil` if the executable can't be read.
    private static var executableDigest: String? {
        let descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return nil }
        let size = Int(status.st_size)
        guard let memory = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0),
            memory != MAP_FAILED
        else { return nil }
        defer { munmap(memory, size) }
        return SHA256.hexDigest(UnsafeRawBufferPointer(start: memory, count: size)) + "\n"
    }
}
