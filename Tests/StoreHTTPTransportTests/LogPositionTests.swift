import Glibc
import StoreJSON
import StoreTestSupport
import StoreWire
import Testing

@testable import StoreHTTPTransport

/// The bytes for the socket of a log's reader (protocol 5.2).
@Suite struct LogPositionTests {
    private func record(_ version: Int, bytes: Int) -> String {
        "id: \(version)\ndata: " + String(repeating: "x", count: bytes) + "\n\n"
    }

    private func piece(_ versions: ClosedRange<Int>, of records: [String]) -> LogPiece {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for version in versions {
            bytes += records[version - 1].utf8
            ends.append(bytes.count)
        }
        return LogPiece(
            firstVersion: UInt64(versions.lowerBound),
            bytes: Bytes(bytes),
            frameEnds: ends
        )
    }

    /// Returns the first bytes for a socket.
    private func bytes(_ segments: [LogSegment], of piece: LogPiece?, first count: Int) -> [UInt8] {
        (piece?.bytes ?? Bytes([])).withUnsafeBytes { source in
            segments.withVectors(of: source) { vectors in
                let all = vectors.flatMap { vector in
                    UnsafeRawBufferPointer(start: vector.iov_base, count: vector.iov_len)
                }
                #expect(all.count == segments.unsentBytes)
                return Array(all.prefix(count))
            }
        }
    }

    @Test func `records that fit are a single chunk, and larger records have their own`() throws {
        let sizes = [10, 20, LogPosition.chunkBytesMin, 5, 3 * LogPosition.chunkBytesMin, 7]
        let records = sizes.enumerated().map { record($0.offset + 1, bytes: $0.element) }
        let piece = piece(1...records.count, of: records)
        var position = LogPosition(after: 0)
        let next = try #require(position.nextSegments(of: piece))
        let sent = bytes(next, of: piece, first: .max)
        let decoder = try #require(ChunkDecoder(sent))
        let chunks = decoder.chunks.map { String(decoding: $0, as: UTF8.self) }
        #expect(
            chunks == [records[..<3].joined(), records[3..<5].joined(), records[5]]
        )
        #expect(position.noteSent(sent.count, of: next, of: piece) == 6)
        #expect(position.isBetweenChunks && position.cursor.version == 6)
    }

    @Test func `a single call sends a piece of the log whole`() throws {
        let records = (1...256).map { record($0, bytes: 1_000) }
        let piece = piece(1...256, of: records)
        let next = try #require(LogPosition(after: 0).nextSegments(of: piece))
        #expect(bytes(next, of: piece, first: .max).count == next.unsentBytes)
        #expect(next.last?.payloadRange.upperBound == piece.bytes.count)
    }

    @Test func `a reader that is ended gets no more than the chunk that is begun`() throws {
        let records = (1...100).map { record($0, bytes: 1_000) }
        let piece = piece(1...100, of: records)
        var position = LogPosition(after: 0)
        _ = position.noteSent(100, of: try #require(position.nextSegments(of: piece)), of: piece)
        #expect(!position.isBetweenChunks)
        let rest = try #require(position.nextSegments(of: piece, isEnding: true))
        let count = try #require(rest.first).unsentBytes
        #expect(rest.count == 1 && count < 2 * LogPosition.chunkBytesMin)
        _ = position.noteSent(count, of: rest, of: piece)
        #expect(position.isBetweenChunks && position.cursor.version == 17)
    }

    @Test func `the line end behind a chunk's last record needs no piece`() throws {
        let piece = piece(1...1, of: [record(1, bytes: 10)])
        var position = LogPosition(after: 0)
        let next = try #require(position.nextSegments(of: piece))
        #expect(position.noteSent(next.unsentBytes - 1, of: next, of: piece) == 1)
        #expect(position.cursor.version == 1 && !position.isBetweenChunks)
        let tail = try #require(position.unsentTail)
        #expect(bytes([tail], of: nil, first: .max) == [0x0A])
        #expect(position.noteSent(1, of: [tail], of: nil) == 0)
        #expect(position.isBetweenChunks && position.unsentTail == nil)
    }

    /// Reads the log as a client that decodes the chunks.
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `each event comes once, whole and in order, through any socket`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        let count = 150
        let records = (1...count).map { version in
            let isLarge = random.next(below: 20) == 0
            return record(version, bytes: random.next(below: isLarge ? 50_000 : 500))
        }
        let (beat, bye) = ("event: heartbeat\n\n", "event: bye\n\n")
        // The socket takes a few bytes at a time, or many.
        let takenMax = [3, 100, 5_000, 100_000][random.next(below: 4)]
        let lastVersion = UInt64(random.next(below: count))
        var position = LogPosition(after: 0)
        var wire: [UInt8] = []
        var expected = ""
        var version = 0
        while true {
            let isEnding = position.cursor.version >= lastVersion
            if position.isBetweenChunks {
                // The bytes up to here are whole records.
                let sent = Int(position.cursor.version)
                expected += records[version..<sent].joined()
                version = sent
                if isEnding { break }
                if random.next(below: 3) == 0 {
                    wire += Chunk.encode(Bytes(utf8: beat)).array
                    expected += beat
                }
            }
            if let tail = position.unsentTail {
                let taken = 1 + random.next(below: tail.unsentBytes)
                wire += bytes([tail], of: nil, first: taken)
                #expect(position.noteSent(taken, of: [tail], of: nil) == 0)
                continue
            }
            // The log's pieces may be cut elsewhere each time.
            let next = Int(position.cursor.version) + 1
            let first = max(1, next - random.next(below: 20))
            let piece = piece(first...min(count, next + random.next(below: 60)), of: records)
            let segments = try #require(position.nextSegments(of: piece, isEnding: isEnding))
            let taken = 1 + random.next(below: min(takenMax, segments.unsentBytes))
            wire += bytes(segments, of: piece, first: taken)
            _ = position.noteSent(taken, of: segments, of: piece)
        }
        wire += Chunk.encodeLast(Bytes(utf8: bye)).array
        let decoder = try #require(ChunkDecoder(wire), "seed \(seed)")
        #expect(decoder.isWhole, "seed \(seed)")
        #expect(decoder.payload == expected + bye, "seed \(seed)")
        #expect(decoder.chunks.allSatisfy { $0.suffix(2) == [0x0A, 0x0A] }, "seed \(seed)")
    }
}
