import CStoreZstd

/// Compression with zstd (RFC 8878) for snapshots of the state.
enum Compression {
    private static let level: CInt = 3

    /// Compresses bytes.
    ///
    /// - Returns: the compressed bytes; `nil` if memory does not suffice.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        let bound = ZSTD_compressBound(bytes.count)
        guard ZSTD_isError(bound) == 0 else { return nil }
        var failed = false
        let compressed = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            count = bytes.withUnsafeBytes {
                ZSTD_compress(buffer.baseAddress, buffer.count, $0.baseAddress, $0.count, level)
            }
            if ZSTD_isError(count) != 0 { (failed, count) = (true, 0) }
        }
        return failed ? nil : compressed
    }

    /// Decompresses a result of ``compress(_:)`` whose original has `size` bytes.
    ///
    /// - Returns: the original bytes; `nil` if the input is not such a result.
    static func decompress(_ bytes: [UInt8], size: Int) -> [UInt8]? {
        let stated = bytes.withUnsafeBytes { ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
        guard stated == UInt64(size) else { return nil }
        var failed = false
        let state = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = bytes.withUnsafeBytes {
                ZSTD_decompress(buffer.baseAddress, buffer.count, $0.baseAddress, $0.count)
            }
            if ZSTD_isError(count) != 0 { (failed, count) = (true, 0) }
        }
        return failed || state.count != size ? nil : state
    }
}
