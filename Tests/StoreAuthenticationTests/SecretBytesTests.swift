import Testing

@testable import StoreAuthentication

@Suite struct SecretBytesTests {
    private func isSame(_ kept: [UInt8], _ shown: [UInt8]) -> Bool {
        var secret = SecretBytes()
        kept.withUnsafeBytes { secret.replace(by: $0) }
        return shown.withUnsafeBytes { secret.isSame(as: $0) }
    }

    @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 300])
    func `equal bytes are equal, and a single other bit makes them differ`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        #expect(isSame(bytes, bytes))
        for place in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[place] ^= 1 << bit
                #expect(!isSame(bytes, other))
            }
        }
    }

    @Test func `bytes of another length are not equal`() {
        #expect(!isSame([1, 2, 3], [1, 2]))
        #expect(!isSame([1, 2], [1, 2, 3]))
        #expect(!isSame([], [0]))
    }

    @Test func `new bytes replace the old bytes`() {
        var secret = SecretBytes()
        for kept: [UInt8] in [[1, 2, 3], [4], [], [5, 6, 7, 8]] {
            kept.withUnsafeBytes { secret.replace(by: $0) }
            #expect(kept.withUnsafeBytes { secret.isSame(as: $0) })
            #expect(![UInt8](repeating: 9, count: 4).withUnsafeBytes { secret.isSame(as: $0) })
        }
    }
}
