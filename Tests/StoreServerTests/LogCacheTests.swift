import StoreJSON
import StoreWire
import Testing

@testable import StoreHistory
@testable import StoreServer

struct LogCacheTests {
    private func piece(_ first: UInt64, _ count: Int, bytes: Int) -> LogPiece {
        LogPiece(
            firstVersion: first,
            bytes: Bytes([UInt8](repeating: 0, count: bytes)),
            frameEnds: (1...count).map { bytes * $0 / count }
        )
    }

    @Test(arguments: [(0, 1...256), (1, 1...256), (256, 1...256), (257, 257...512)])
    func `versions are cut into blocks`(version: UInt64, block: ClosedRange<UInt64>) {
        #expect(LogCache.block(of: version) == block)
    }

    @Test func `the greatest version has a block`() {
        #expect(LogCache.block(of: .max).contains(.max))
    }

    @Test func `a piece is found by every version that it has, and by no other`() {
        var cache = LogCache()
        cache.insert(piece(257, 10, bytes: 100))
        cache.insert(piece(267, 5, bytes: 100))
        #expect(cache.piece(with: 256) == nil)
        #expect(cache.piece(with: 257)?.firstVersion == 257)
        #expect(cache.piece(with: 266)?.firstVersion == 257)
        #expect(cache.piece(with: 271)?.firstVersion == 267)
        #expect(cache.piece(with: 272) == nil)
    }

    @Test func `a longer piece takes the place of the shorter piece`() {
        var cache = LogCache()
        cache.insert(piece(1, 10, bytes: 100_000))
        let before = cache.chargedBytes
        cache.insert(piece(1, 20, bytes: 200_000))
        #expect(cache.piece(with: 5)?.lastVersion == 20)
        #expect(cache.chargedBytes == before + 100_000 + 80)
    }

    @Test func `at the bound, the piece used longest ago goes`() {
        var cache = LogCache(bytesMax: 300_000)
        for block in 0..<3 as Range<UInt64> {
            cache.insert(piece(block * 256 + 1, 1, bytes: 90_000))
        }
        #expect(cache.piece(with: 1) != nil)
        cache.insert(piece(1_025, 1, bytes: 90_000))
        #expect(cache.piece(with: 1) != nil)
        #expect(cache.piece(with: 257) == nil)
        #expect(cache.piece(with: 513) != nil)
        #expect(cache.piece(with: 1_025) != nil)
        #expect(cache.chargedBytes <= 300_000)
    }

    @Test func `a piece beyond the bound is kept as long as it is the newest`() {
        var cache = LogCache(bytesMax: 100_000)
        cache.insert(piece(1, 1, bytes: 2_000_000))
        #expect(cache.piece(with: 1) != nil)
        cache.insert(piece(257, 1, bytes: 10))
        #expect(cache.piece(with: 1) == nil)
        #expect(cache.chargedBytes == LogCache.chargeBytesMin)
    }

    @Test func `many small pieces are bounded, too`() {
        var cache = LogCache(bytesMax: 1 << 20)
        for version in 1...2_000 as ClosedRange<UInt64> {
            cache.insert(piece(version, 1, bytes: 1))
        }
        #expect(cache.chargedBytes <= 1 << 20)
        let kept = (1...2_000).count { cache.piece(with: UInt64($0)) != nil }
        #expect(kept == (1 << 20) / LogCache.chargeBytesMin)
    }
}
