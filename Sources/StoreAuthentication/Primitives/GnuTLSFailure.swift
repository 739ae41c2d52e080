import CStoreGnuTLS

/// What GnuTLS could not do, in its own words.
struct GnuTLSFailure: Error, CustomStringConvertible {
    let description: String

    init(_ code: CInt) {
        description = gnutls_strerror(code).map { String(cString: $0) } ?? "GnuTLS error \(code)"
    }

    init(_ description: String) { self.description = description }

    /// - Throws: where the code is an error's.
    static func check(_ code: CInt) throws(GnuTLSFailure) {
        guard code >= 0 else { throw GnuTLSFailure(code) }
    }
}

/// Calls `body` with bytes as GnuTLS takes them; they are read and not changed.
func withDatum<Result>(
    _ bytes: [UInt8],
    _ body: (UnsafePointer<gnutls_datum_t>) -> Result
) -> Result {
    bytes.withUnsafeBufferPointer { buffer in
        var datum = gnutls_datum_t(
            data: UnsafeMutablePointer(mutating: buffer.baseAddress),
            size: UInt32(truncatingIfNeeded: buffer.count)
        )
        return body(&datum)
    }
}
