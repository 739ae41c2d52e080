import StoreJSON
import StoreTestSupport
import StoreWire
import Testing

@testable import StoreHTTPTransport

struct LogCursorTests {
    /// Returns a piece of versions from `first` on, with frames of these sizes.
    private func piece(_ first: UInt64, _ sizes: Int...) -> LogPiece {
        var ends: [Int] = []
        for size in sizes { ends.append((ends.last ?? 0) + size) }
        return LogPiece(
            firstVersion: first,
            bytes: Bytes([UInt8](repeating: 0, count: ends.last ?? 0)),
            frameEnds: ends
        )
    }

    @Test func `a piece has the ends of its frames from any offset on`() {
        let piece = piece(1, 10, 20, 30)
        #expect([1, 10, 11, 30, 31, 60, 61].map(piece.frameEnd) == [10, 10, 30, 30, 60, 60, 60])
    }

    @Test func `a cursor begins at the record after its reader's version`() {
        let piece = piece(1, 10, 20, 30)
        #expect(LogCursor(after: 0).unsentRange(of: piece) == 0..<60)
        #expect(LogCursor(after: 1).unsentRange(of: piece) == 10..<60)
        #expect(LogCursor(after: 2).unsentRange(of: piece) == 30..<60)
    }

    @Test func `a cursor finds nothing in a piece without the next record`() {
        let piece = piece(5, 10, 10)
        #expect(LogCursor(after: 3).unsentRange(of: piece) == nil)
        #expect(LogCursor(after: 6).unsentRange(of: piece) == nil)
        #expect(LogCursor(after: .max).unsentRange(of: piece) == nil)
    }

    @Test func `a cursor goes on within the frame that was cut`() {
        let piece = piece(1, 10, 20, 30)
        var cursor = LogCursor(after: 0)
        #expect(cursor.noteSent(upTo: 15, of: piece) == 1)
        #expect(cursor.version == 1)
        #expect(cursor.sentBytesOfNext == 5)
        #expect(cursor.unsentRange(of: piece) == 15..<60)
        #expect(cursor.noteSent(upTo: 30, of: piece) == 1)
        #expect(cursor.sentBytesOfNext == 0)
        #expect(cursor.noteSent(upTo: 60, of: piece) == 1)
        #expect(cursor.version == 3)
    }

    @Test func `a cursor goes on in a piece with other bounds`() {
        var cursor = LogCursor(after: 0)
        #expect(cursor.noteSent(upTo: 15, of: piece(1, 10, 20, 30)) == 1)
        let other = piece(2, 20, 30, 40)
        #expect(cursor.unsentRange(of: other) == 5..<90)
        #expect(cursor.noteSent(upTo: 90, of: other) == 3)
        #expect(cursor.version == 4)
    }

    @Test func `a cursor refuses a frame shorter than the part already sent`() {
        var cursor = LogCursor(after: 0)
        _ = cursor.noteSent(upTo: 9, of: piece(1, 10))
        #expect(cursor.unsentRange(of: piece(1, 8)) == nil)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `cuts of any size send each byte once`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var cursor = LogCursor(after: 0)
        var (total, taken) = (0, 0)
        let sizes = (1...64).map { _ in Int.random(in: 1...40, using: &random) }
        let all = sizes.reduce(0, +)
        while cursor.version < 64 {
            // Pieces begin at any record up to the next record, as in a cache.
            let first = Int.random(in: 1...Int(cursor.version) + 1, using: &random)
            let last = Int.random(in: Int(cursor.version) + 1...64, using: &random)
            var ends: [Int] = []
            for size in sizes[(first - 1)..<last] { ends.append((ends.last ?? 0) + size) }
            let piece = LogPiece(
                firstVersion: UInt64(first),
                bytes: Bytes([UInt8](repeating: 0, count: ends.last ?? 0)),
                frameEnds: ends
            )
            guard let rest = cursor.unsentRange(of: piece) else {
                Issue.record("seed \(seed): nothing after \(cursor.version)")
                return
            }
            let count = Int.random(in: 1...rest.count, using: &random)
            total += count
            taken += cursor.noteSent(upTo: rest.lowerBound + count, of: piece)
        }
        #expect(total == all && taken == 64, "seed \(seed)")
    }
}
