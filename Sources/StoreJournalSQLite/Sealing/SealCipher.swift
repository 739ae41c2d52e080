import CStoreNettle

/// A key of 256 random bits.
struct SealKey: Equatable, Sendable {
    static let bytesCount = 32

    private var words: (UInt64, UInt64, UInt64, UInt64)

    static func == (one: SealKey, other: SealKey) -> Bool { one.words == other.words }

    /// Makes a new key from the system's random source, getrandom(2).
    init() {
        var random = SystemRandomNumberGenerator()
        words = (random.next(), random.next(), random.next(), random.next())
    }

    /// Reads a key; returns `nil` for a wrong number of bytes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.bytesCount else { return nil }
        words = bytes.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self)
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let copy = words
        return withUnsafeBytes(of: copy, body)
    }
}

/// Authenticated encryption with ChaCha20 and Poly1305 (RFC 8439). A sealed value has its random
/// nonce, the encrypted bytes, and the authentication tag.
///
/// If a key seals 2^32 values, two of their nonces are equal with a probability of 2^-33.
enum SealCipher {
    private static let nonceBytes = 12
    private static let tagBytes = 16
    /// The number of bytes by which a sealed value is longer than its plain value.
    static let addedBytes = nonceBytes + tagBytes

    /// Seals a value. `context` is authenticated with the value, and is not part of the result.
    static func seal(_ plain: UnsafeRawBufferPointer, _ key: SealKey, context: [UInt8]) -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let (first, second) = (random.next(), random.next())
        return [UInt8](unsafeUninitializedCapacity: plain.count + addedBytes) { output, count in
            withUnsafeBytes(of: (first, second)) {
                for index in 0..<nonceBytes { output[index] = $0[index] }
            }
            count = plain.count + addedBytes
            guard let start = output.baseAddress else { return }
            var cipher = start.makeCipher(key, context)
            if let bytes = plain.baseAddress?.assumingMemoryBound(to: UInt8.self) {
                let body = start + nonceBytes
                nettle_chacha_poly1305_encrypt(&cipher, plain.count, body, bytes)
            }
            nettle_chacha_poly1305_digest(&cipher, tagBytes, start + (count - tagBytes))
        }
    }

    /// Opens a result of ``seal(_:_:context:)``. Returns `nil` if the key, the context or any of
    /// the bytes differs.
    static func open(_ sealed: UnsafeRawBufferPointer, _ key: SealKey, context: [UInt8]) -> [UInt8]?
    {
        let size = sealed.count - addedBytes
        guard size >= 0, let start = sealed.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return nil
        }
        var cipher = start.makeCipher(key, context)
        let plain = [UInt8](unsafeUninitializedCapacity: size) { output, count in
            count = size
            guard size > 0, let output = output.baseAddress else { return }
            nettle_chacha_poly1305_decrypt(&cipher, size, output, start + nonceBytes)
        }
        var tag = [UInt8](repeating: 0, count: tagBytes)
        nettle_chacha_poly1305_digest(&cipher, tagBytes, &tag)
        return nettle_memeql_sec(tag, start + (nonceBytes + size), tagBytes) != 0 ? plain : nil
    }
}

extension UnsafePointer<UInt8> {
    /// Returns a cipher with this nonce.
    fileprivate func makeCipher(_ key: SealKey, _ context: [UInt8]) -> chacha_poly1305_ctx {
        var cipher = chacha_poly1305_ctx()
        key.withBytes { key in
            guard let key = key.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            nettle_chacha_poly1305_set_key(&cipher, key)
        }
        nettle_chacha_poly1305_set_nonce(&cipher, self)
        nettle_chacha_poly1305_update(&cipher, context.count, context)
        return cipher
    }
}

extension UnsafeMutablePointer<UInt8> {
    fileprivate func makeCipher(_ key: SealKey, _ context: [UInt8]) -> chacha_poly1305_ctx {
        UnsafePointer(self).makeCipher(key, context)
    }
}
