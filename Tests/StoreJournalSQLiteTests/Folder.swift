import Glibc
import StoreTestSupport

/// A directory for one test. The last reference removes it.
final class Folder: Sendable {
    let path: String
    private let isOwn: Bool

    /// Uses a directory that stays.
    init(existing path: String) {
        self.path = path
        isOwn = false
    }

    init() throws {
        path = try temporaryDirectory()
        isOwn = true
    }

    deinit {
        if isOwn { Self.remove(path) }
    }

    func bytes(of name: String) throws -> [UInt8] {
        let descriptor = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure() }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemFailure() }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        guard read(descriptor, &bytes, bytes.count) == bytes.count else { throw SystemFailure() }
        return bytes
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure() }
        defer { close(descriptor) }
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw SystemFailure()
        }
    }

    /// Returns the names of the directory's files.
    func names() -> [String] { Self.names(in: path) }

    private static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func remove(_ path: String) {
        for name in names(in: path) where unlink("\(path)/\(name)") != 0 {
            remove("\(path)/\(name)")
        }
        rmdir(path)
    }
}

extension Folder {
    /// The bytes of a journal's files.
    struct Files {
        static let all = ["store.db", "store.db-wal", "mark"]

        var bytes: [String: [UInt8]] = [:]

        func write(to folder: Folder) throws -> Folder {
            for (name, bytes) in bytes { try folder.write(bytes, to: name) }
            return folder
        }
    }

    /// Returns the current bytes of the files.
    func files() throws -> Files {
        var files = Files()
        for name in Files.all { files.bytes[name] = try? bytes(of: name) }
        return files
    }
}
