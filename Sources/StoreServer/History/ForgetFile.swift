import Glibc
import StoreCommandLine
import StorePlatform

/// The file in the data directory that names the owners to forget, one on each line. The file
/// exists until the owners are forgotten or the store refuses to forget them, even if the process
/// ends meanwhile.
struct ForgetFile: Sendable {
    /// The maximum number of owners in the file.
    static let ownersMax = 100_000
    /// The maximum number of the program's actions in one batch.
    static let actionsPerBatch = 1_000
    private static let bytesMax = 64 << 20

    private let path: String
    /// The file with the reason why the store last refused to forget owners.
    private var refusalPath: String { path + ".refused" }

    init(in directory: String) { path = directory + "/forget" }

    var exists: Bool { access(path, F_OK) == 0 }

    /// The owners in the file; `nil` if there is no file, or if it can't be read.
    var owners: [String]? {
        guard let bytes = FileReader.read(path, bytesMax: Self.bytesMax),
            bytes.count <= Self.bytesMax
        else { return nil }
        return bytes.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Writes the owners to the file, and makes the file durable. Throws if the file exists
    /// already.
    func write(_ owners: [String]) throws {
        let lines = owners.joined(separator: "\n") + "\n"
        let own = "\(path).\(getpid())"
        do { try AtomicFile.write(Array(lines.utf8), to: own, mode: 0o644) } catch {
            throw CommandFailure("nothing was forgotten: \(error)")
        }
        defer { unlink(own) }
        if !exists { unlink(refusalPath) }
        // Unlike a rename, a link never replaces the file of another command.
        guard link(own, path) == 0 else {
            throw CommandFailure(
                errno == EEXIST
                    ? "nothing was forgotten: another forget is not complete yet, see \(path)"
                    : "nothing was forgotten: making \(path) failed: \(SystemError.text)"
            )
        }
        sync()
    }

    /// Removes the file. Call this function when the owners are forgotten.
    func remove() {
        unlink(path)
        sync()
    }

    /// Removes the file, and stores the reason why the store refused to forget the owners.
    func refuse(because reason: String) {
        try? AtomicFile.write(Array(reason.utf8), to: refusalPath, mode: 0o644)
        remove()
    }

    /// Returns the reason of the last ``refuse(because:)``, and removes the file with this reason.
    func takeRefusal() -> String? {
        guard let bytes = FileReader.read(refusalPath, bytesMax: 1 << 16) else { return nil }
        unlink(refusalPath)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func sync() {
        let directory = String(path.dropLast("/forget".count))
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
