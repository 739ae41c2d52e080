/// Reads a file with an issuer's keys: a JWK Set, or one public key or certificate in PEM.
enum IssuerKeyFile {
    static func keys(_ path: String) throws(CredentialFileError) -> [IssuerKey] {
        try keys(try CredentialFile.read(path))
    }

    static func keys(_ file: CredentialFile.Content) throws(CredentialFileError) -> [IssuerKey] {
        let first = file.bytes.first { !" \t\r\n".utf8.contains($0) }
        return first == UInt8(ascii: "{") ? try JWKSet.keys(file) : [try pem(file)]
    }

    private static func pem(_ file: CredentialFile.Content) throws(CredentialFileError) -> IssuerKey
    {
        let labels = labels(of: file.bytes)
        guard labels.count == 1 else {
            throw CredentialFileError(
                file.path,
                labels.isEmpty
                    ? "allowed is a JWK Set, or a public key or a certificate in PEM"
                    : "it has \(labels.count) parts in PEM; allowed is one public key or one "
                        + "certificate, and --jwt-keys once for each file"
            )
        }
        do throws(GnuTLSFailure) {
            switch labels[0] {
            case "PUBLIC KEY": return IssuerKey(try .pem(file.bytes), id: nil)
            case "CERTIFICATE": return IssuerKey(try .certificate(pem: file.bytes), id: nil)
            case let label where label.hasSuffix("PRIVATE KEY"):
                throw GnuTLSFailure(
                    "it is a private key, which only the issuer may have; give the public one "
                        + "(openssl pkey -pubout)"
                )
            case let label:
                throw GnuTLSFailure(
                    "it is a '\(label.prefix(64))'; allowed are PUBLIC KEY and CERTIFICATE"
                )
            }
        } catch {
            throw CredentialFileError(file.path, error.description)
        }
    }

    /// Returns the labels after `-----BEGIN` (RFC 7468 §2), in their order.
    private static func labels(of bytes: [UInt8]) -> [String] {
        let begin = Array("-----BEGIN ".utf8)
        let end = Array("-----".utf8)
        return bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }).compactMap { line in
            guard line.starts(with: begin), line.count >= begin.count + end.count,
                line.suffix(end.count).elementsEqual(end)
            else { return nil }
            return String(decoding: line.dropFirst(begin.count).dropLast(end.count), as: UTF8.self)
        }
    }
}
