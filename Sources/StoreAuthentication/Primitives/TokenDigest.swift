import CStoreGnuTLS
import StoreDigest

/// The SHA-256 digest of a token. Making a digest needs no allocation.
struct TokenDigest: Hashable, Sendable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init(of token: UnsafeRawBufferPointer) {
        withUnsafeMutableBytes(of: &words) { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { buffer in
                guard let output = buffer.baseAddress else { return }
                SHA256.digest(token, into: output)
            }
        }
    }

    /// Reads a digest from its 64 hexadecimal digits, in lower case.
    init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 2 * SHA256.bytesCount else { return nil }
        var bytes: [UInt8] = []
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): bytes.append(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): bytes.append(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        withUnsafeMutableBytes(of: &words) { output in
            for index in 0..<SHA256.bytesCount {
                output[index] = bytes[2 * index] << 4 | bytes[2 * index + 1]
            }
        }
    }

    /// The digest in hexadecimal digits.
    var hex: String { withUnsafeBytes(of: words) { SHA256.hexDigits(of: $0) } }

    /// Compares the digests in constant time, and returns true if both are the same.
    func isSame(as other: TokenDigest) -> Bool {
        withUnsafeBytes(of: words) { mine in
            withUnsafeBytes(of: other.words) { theirs in
                gnutls_memcmp(mine.baseAddress, theirs.baseAddress, mine.count) == 0
            }
        }
    }

    static func == (a: TokenDigest, b: TokenDigest) -> Bool { a.isSame(as: b) }

    /// Hashes 64 bits of the digest, which are random enough.
    func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
