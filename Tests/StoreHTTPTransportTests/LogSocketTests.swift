import Glibc
import StoreJSON
import StorePlatform
import StoreTestSupport
import StoreWire
import Testing

@testable import StoreHTTPTransport

/// Readers of the log whose sockets take little at a time.
@Suite(.serialized) struct LogSocketTests {
    /// Two ends of a connection with the smallest buffers that the system has.
    private func pair() throws -> (server: CInt, client: CInt) {
        let ends = try socketPair()
        for end in [ends.server, ends.client] {
            var size: CInt = 1
            let length = socklen_t(MemoryLayout<CInt>.size)
            setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, length)
            setsockopt(end, SOL_SOCKET, SO_RCVBUF, &size, length)
        }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(ends.client, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
        return ends
    }

    private func writer(_ log: TestLog) throws -> StreamWriter {
        var limits = StreamLimits()
        limits.heartbeatSeconds = 1
        let streams = try StreamWriter(
            limits: limits,
            frames: StreamFrames(
                makeHeartbeat: { Bytes(utf8: "beat \($0)\n") },
                makeExpiring: { Bytes(utf8: "expiring \($0)\n") },
                makeBye: { Bytes(utf8: "bye \($0.rawValue)\n") }
            )
        )
        log.attach(streams)
        streams.setLogSource(log)
        try streams.start(startThread)
        return streams
    }

    @Test(arguments: [UInt64.random(in: .min ... .max), 1, 2])
    func `chunks go on at the byte where a socket stopped, and bye comes between two`(
        seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        let log = TestLog(version: 300, frameBytes: 1 + random.next(below: 3_000))
        let streams = try writer(log)
        let (server, client) = try pair()
        defer { close(client) }
        let head = StreamHead(
            responseHead: Bytes(utf8: "head\r\n\r\n"),
            payload: Bytes(utf8: "first\n")
        )
        #expect(streams.reservePlace(.actions))
        streams.adopt(
            descriptor: server,
            StreamBeginning(head, topic: .actions, resume: .fresh),
            onEnd: nil
        )
        var wire: [UInt8] = []
        let stopBytes = 50_000 + random.next(below: 200_000)
        var isStopping = false
        while true {
            var taken = [UInt8](repeating: 0, count: 1 + random.next(below: 2_000))
            let count = recv(client, &taken, taken.count, 0)
            guard count > 0 else {
                #expect(count == 0, "seed \(seed): nothing came for 20 s")
                break
            }
            wire += taken.prefix(count)
            log.grow(to: log.newestVersion + UInt64(random.next(below: 3)))
            if !isStopping, wire.count > stopBytes || log.newestVersion > 2_000 {
                isStopping = true
                startThread("stop") { _ = streams.stop(reason: .shutdown, seconds: 20) }
            }
        }
        #expect(wire.starts(with: "head\r\n\r\n".utf8), "seed \(seed)")
        let decoder = try #require(ChunkDecoder(Array(wire.dropFirst(8))), "seed \(seed)")
        #expect(decoder.isWhole, "seed \(seed)")
        let lines = decoder.payload.split(separator: "\n")
        #expect(lines.first == "first" && lines.last == "bye shutdown", "seed \(seed)")
        let records = lines.filter { $0.hasPrefix("v") }
        for (place, line) in records.enumerated() {
            #expect(line.prefix { $0 != "." } == "v\(place + 1)", "seed \(seed)")
        }
        let others = lines.filter { $0.hasPrefix("beat ") || $0.hasPrefix("caught up ") }
        #expect(lines.count == records.count + others.count + 2, "seed \(seed)")
        #expect(!records.isEmpty, "seed \(seed)")
    }
}
