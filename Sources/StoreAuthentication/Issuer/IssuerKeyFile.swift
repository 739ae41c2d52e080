import StoreJSON
import StoreTexts

/// The reader of a file with an issuer's keys: a JWK Set, or one public key or certificate in PEM.
enum IssuerKeyFile {
    static func readKeys(at path: String) throws(CredentialFileError) -> [IssuerKey] {
        try readKeys(from: try CredentialFile.read(path))
    }

    static func readKeys(from file: CredentialFile.Content) throws(CredentialFileError)
        -> [IssuerKey]
    {
        let first = file.bytes.first { !" \t\r\n".utf8.contains($0) }
        return first == UInt8(ascii: "{")
            ? try JWKSet.readKeys(from: file) : [try readPEMKey(from: file)]
    }

    private static func readPEMKey(from file: CredentialFile.Content) throws(CredentialFileError)
        -> IssuerKey
    {
        let labels = labels(of: file.bytes)
        guard labels.count == 1 else {
            throw CredentialFileError(
                file.path,
                labels.isEmpty
                    ? "expected a JWK Set, or a public key or a certificate in PEM"
                    : "it has \(labels.count) parts in PEM; put each public key or certificate "
                        + "into a file of its own, and give --jwt-keys once for each file"
            )
        }
        do throws(CredentialKeyFailure) {
            switch labels[0] {
            case "PUBLIC KEY": return IssuerKey(try .pem(file.bytes), id: nil)
            case "CERTIFICATE": return IssuerKey(try .certificate(pem: file.bytes), id: nil)
            case let label where label.hasSuffix("PRIVATE KEY"):
                throw CredentialKeyFailure(
                    "it is a private key, which only the issuer may have; give the public key "
                        + "(openssl pkey -pubout)"
                )
            case let label:
                throw CredentialKeyFailure(
                    "its PEM label is '\(label.prefix(64))'; allowed are PUBLIC KEY and CERTIFICATE"
                )
            }
        } catch {
            throw CredentialFileError(file.path, error.description)
        }
    }

    /// Returns the labels after `-----BEGIN` (RFC 7468 §2), in the order of the text.
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

/// The reader of a JWK Set (RFC 7517 §5, RFC 7518 §6, RFC 8037 §2).
///
/// The reader skips keys of a kind, algorithm or purpose that this server does not support, as the
/// RFC requires. If this server uses a key's kind and the key is faulty, the reader refuses the
/// file.
enum JWKSet {
    static func readKeys(from file: CredentialFile.Content) throws(CredentialFileError)
        -> [IssuerKey]
    {
        let limits = JSONLimits(bytesMax: CredentialFile.bytesMax, depthMax: JWT.depthMax)
        let root = try file.json(within: limits)
        guard let list = root.member("keys"), list.kind == .array else {
            throw CredentialFileError(
                file.path,
                "expected a JWK Set: an object with an array 'keys'"
            )
        }
        var keys: [IssuerKey] = []
        for (index, node) in list.elements.enumerated() {
            do throws(CredentialKeyFailure) {
                if let key = try readKey(node, file) { keys.append(key) }
            } catch {
                let name = node.member("kid")?.stringValue.map { " (kid \(JSONText.quoted($0)))" }
                throw CredentialFileError(file.path, "/keys/\(index)\(name ?? ""): \(error)")
            }
        }
        guard !keys.isEmpty else {
            throw CredentialFileError(
                file.path,
                "it has no key for signatures by RS256, ES256, EdDSA (Ed25519) or HS256"
            )
        }
        return keys
    }

    /// Reads a key; returns `nil` for a key that the reader skips.
    private static func readKey(
        _ node: JSONNode,
        _ file: CredentialFile.Content
    ) throws(CredentialKeyFailure) -> IssuerKey? {
        guard let type = try text("kty", of: node), let kind = Kind(rawValue: type) else {
            return nil
        }
        if let use = try text("use", of: node), use != "sig" { return nil }
        if let operations = node.member("key_ops") {
            guard operations.elements.contains(where: { $0.stringValue == "verify" }) else {
                return nil
            }
        }
        if let name = try text("alg", of: node), !kind.requirements.algorithms.contains(name) {
            return nil
        }
        if let curve = kind.requirements.curve, try text("crv", of: node) != curve { return nil }
        guard node.member("d") == nil else {
            throw CredentialKeyFailure(
                "'d' is the private part, which only the issuer may have; give the public key"
            )
        }
        let id = try text("kid", of: node)
        switch kind {
        case .rsa: return IssuerKey(try .rsa(n: bytes("n", node), e: bytes("e", node)), id: id)
        case .ec: return IssuerKey(try .p256(x: bytes("x", node), y: bytes("y", node)), id: id)
        case .okp: return IssuerKey(try .ed25519(bytes("x", node)), id: id)
        case .oct:
            do throws(CredentialFileError) { try file.checkNotWorldReadable() } catch {
                throw CredentialKeyFailure("\(error)")
            }
            return try IssuerKey(secret: bytes("k", node), id: id)
        }
    }

    private enum Kind: String {
        case rsa = "RSA"
        case ec = "EC"
        case okp = "OKP"
        case oct

        /// The values of `alg` that a key of this kind may have, and the value of `crv` that the
        /// key must have.
        var requirements: (algorithms: [String], curve: String?) {
            switch self {
            case .rsa: (["RS256"], nil)
            case .ec: (["ES256"], "P-256")
            // RFC 9864 gives this curve a value of `alg` of its own, Ed25519.
            case .okp: (["EdDSA", "Ed25519"], "Ed25519")
            case .oct: (["HS256"], nil)
            }
        }
    }

    /// Returns the text of a member; `nil` if the member does not exist.
    private static func text(_ name: String, of node: JSONNode) throws(CredentialKeyFailure)
        -> String?
    {
        guard let member = node.member(named: name) else { return nil }
        guard let text = member.stringValue else {
            throw CredentialKeyFailure("\(name): expected a text")
        }
        return text
    }

    private static func bytes(_ name: String, _ node: JSONNode) throws(CredentialKeyFailure)
        -> [UInt8]
    {
        guard let text = try text(name, of: node), let bytes = Base64URL.decode(text.utf8) else {
            throw CredentialKeyFailure("\(name): expected base64url without padding")
        }
        return bytes
    }
}
