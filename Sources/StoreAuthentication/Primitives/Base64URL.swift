import CStoreNettle

/// The encoding base64url without padding (RFC 4648 §5, RFC 7515 §2), by the library nettle.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var context = base64_encode_ctx()
        nettle_base64url_encode_init(&context)
        let capacity = (bytes.count + 2) / 3 * 4 + 8
        return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            buffer.withMemoryRebound(to: CChar.self) { output in
                guard let start = output.baseAddress else { return }
                count = nettle_base64_encode_update(&context, start, bytes.count, bytes)
                count += nettle_base64_encode_final(&context, start + count)
            }
            while count > 0, buffer[count - 1] == padding { count -= 1 }
        }
    }

    /// Returns the decoded bytes; `nil` for any text that ``encode(_:)`` does not write. For
    /// instance, a text with padding, white space, other characters, or bits after the last byte is
    /// refused.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1, !text.contains(padding) else { return nil }
        var padded = Array(text)
        padded += repeatElement(padding, count: (4 - padded.count % 4) % 4)
        var context = base64_decode_ctx()
        nettle_base64url_decode_init(&context)
        var isWhole = false
        let capacity = padded.count / 4 * 3 + 3
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            var written = buffer.count
            padded.withUnsafeBytes { bytes in
                let input = bytes.bindMemory(to: CChar.self)
                guard let start = input.baseAddress, let output = buffer.baseAddress else {
                    written = 0
                    isWhole = bytes.isEmpty
                    return
                }
                isWhole =
                    nettle_base64_decode_update(&context, &written, output, input.count, start) == 1
                    && nettle_base64_decode_final(&context) == 1
            }
            count = isWhole ? written : 0
        }
        // nettle skips white space. So the function encodes the bytes again, and refuses a text
        // that differs from the result.
        guard isWhole, encode(bytes).elementsEqual(text) else { return nil }
        return bytes
    }

    private static let padding = UInt8(ascii: "=")
}
