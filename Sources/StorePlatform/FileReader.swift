import Glibc

/// Reads whole small files.
package enum FileReader {
    /// The file's bytes, or `nil`; of one beyond the bound a little more than that.
    package static func read(_ path: String, bytesMax: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return read(descriptor, bytesMax: bytesMax)
    }

    /// What an open file has from where it stands, or `nil`; of more than the bound a little more
    /// than that.
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
