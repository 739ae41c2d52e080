import CStoreGnuTLS

/// A failure of GnuTLS, with its message, or a reason of this target.
struct GnuTLSFailure: Error, CustomStringConvertible {
    let description: String

    init(_ code: CInt) {
        description = gnutls_strerror(code).map { String(cString: $0) } ?? "GnuTLS error \(code)"
    }

    init(_ description: String) { self.description = description }

    /// - Throws: ``GnuTLSFailure`` if the code is an error.
    static func check(_ code: CInt) throws(GnuTLSFailure) {
        guard code >= 0 else { throw GnuTLSFailure(code) }
    }
}

/// Calls `body` with bytes in GnuTLS's form. GnuTLS reads them and does not change them.
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
