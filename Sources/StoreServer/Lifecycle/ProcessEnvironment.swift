import Glibc

/// The process's environment variables.
enum ProcessEnvironment {
    static var all: [String: String] {
        var found: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let pair = String(cString: entry).split(separator: "=", maxSplits: 1)
            if let name = pair.first { found[String(name)] = pair.count > 1 ? String(pair[1]) : "" }
            next += 1
        }
        return found
    }
}

/// Reads whole small files.
enum FileReader {
    /// The file's bytes, or `nil`; of a configuration that is too large a little more than the bound.
    static func read(_ path: String) -> [UInt8]? {
        read(path, bytesMax: ConfigurationReader.fileBytesMax)
    }

    /// The file's bytes, or `nil`; of one beyond the bound a little more than that.
    static func read(_ path: String, bytesMax: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
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
