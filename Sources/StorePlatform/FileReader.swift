import Glibc

/// Reads whole small files.
package enum FileReader {
    /// Returns the file's bytes; `nil` if an error occurs. For a larger file, the result has more
    /// than `bytesMax` bytes, but at most 64 KiB more.
    package static func read(_ path: String, bytesMax: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return read(descriptor, bytesMax: bytesMax)
    }

    /// Returns the bytes of an open file from its current position; `nil` if an error occurs. For a
    /// larger file, the result has more than `bytesMax` bytes, but at most 64 KiB more.
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
