package import Glibc

/// An IPv4 or IPv6 address. An IPv4 address is stored in its IPv6 form, `::ffff:192.0.2.1`, so that
/// both forms of an address are equal.
package struct IPAddress: Sendable, Hashable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(v4 address: UInt32) {
        self.init(high: 0, low: Self.v4MappedPrefix | UInt64(address))
    }

    package init(_ address: in6_addr) {
        self = withUnsafeBytes(of: address) {
            IPAddress(
                high: UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// Reads `192.0.2.1` or `2001:db8::1`, without brackets, port or zone. Allocates nothing.
    package init?(_ text: UnsafeRawBufferPointer) {
        guard 2..<Int(INET6_ADDRSTRLEN) ~= text.count else { return nil }
        let found = withUnsafeTemporaryAllocation(
            of: CChar.self,
            capacity: Int(INET6_ADDRSTRLEN)
        ) { buffer -> IPAddress? in
            guard let start = buffer.baseAddress else { return nil }
            for (index, byte) in text.enumerated() { buffer[index] = CChar(bitPattern: byte) }
            buffer[text.count] = 0
            var v4 = in_addr()
            if inet_pton(AF_INET, start, &v4) == 1 {
                return IPAddress(v4: UInt32(bigEndian: v4.s_addr))
            }
            var v6 = in6_addr()
            return inet_pton(AF_INET6, start, &v6) == 1 ? IPAddress(v6) : nil
        }
        guard let found else { return nil }
        self = found
    }

    package init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let address = text.withUTF8({ IPAddress(UnsafeRawBufferPointer($0)) }) else {
            return nil
        }
        self = address
    }

    package var isV4: Bool { high == 0 && low & ~0xFFFF_FFFF == Self.v4MappedPrefix }

    /// The network of the address: an IPv6 address with zeros in place of its last 64 bits. For an
    /// IPv4 address, the address itself.
    package var network: IPAddress { isV4 ? self : IPAddress(high: high, low: 0) }

    private static let v4MappedPrefix: UInt64 = 0xFFFF << 32
}

extension IPAddress: CustomStringConvertible {
    package var description: String {
        if isV4 {
            return (0..<4).map { String(low >> UInt64(24 - 8 * $0) & 0xFF) }.joined(separator: ".")
        }
        var address = in6_addr()
        withUnsafeMutableBytes(of: &address) {
            $0.storeBytes(of: high.bigEndian, as: UInt64.self)
            $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count))
        let bytes = buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A range of addresses that begin with the same bits: `10.0.0.0/8`, `2001:db8::/32`.
package struct AddressRange: Sendable, Equatable {
    private let first: IPAddress
    /// The number of common bits, at most 128. For an IPv4 range, the 96 bits before the address in
    /// its IPv6 form are included.
    private let prefixLength: Int

    /// Reads an address, with or without a slash and the number of common bits.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        let widest = address.isV4 ? 32 : 128
        var length = widest
        if parts.count > 1 {
            guard parts[1].utf8.allSatisfy({ 48...57 ~= $0 }), let given = Int(parts[1]),
                0...widest ~= given
            else { return nil }
            length = given
        }
        prefixLength = length + 128 - widest
        first = address
    }

    package func contains(_ address: IPAddress) -> Bool {
        // A shift by 64 or more gives zero.
        let high: UInt64 = ~0 << UInt64(64 - min(prefixLength, 64))
        let low: UInt64 = ~0 << UInt64(128 - max(prefixLength, 64))
        return (address.high ^ first.high) & high == 0 && (address.low ^ first.low) & low == 0
    }
}
