import StoreCore
import StoreEventStream
import StoreJSON
import StorePlatform
import StoreTelemetry
import StoreWire
import Synchronization
import Testing

@testable import StorePublishing

/// Streams that close between a commit and its turn on the publishing thread.
@Suite struct ClosedStreamsTests {
    private typealias State = [String: Int]

    private let epoch = Epoch(rawValue: 0x4f1c_09ab)
    private let streams = Streams()
    private let publisher: StatePublisher<State>

    init() throws {
        publisher = try StatePublisher(
            epoch: epoch,
            version: 0,
            state: ["a": 0],
            writer: WholeStateWriter(JSONEncoder()),
            parts: PartStreams(layout: nil, PartSender(streams: streams, epoch: epoch)),
            documents: ParsedDocuments(),
            streams: streams,
            waiters: LongPolls(),
            log: Log(),
            logger: .standardError
        )
    }

    @Test func `the next reader of a part begins with the newest commit`() throws {
        let part = publisher.parts.part(at: try #require(JSONPointer("/a")))
        streams.count.store(1, ordering: .relaxed)
        open(part)
        #expect(streams.sent == ["0 0"])
        let (begun, goesOn) = (Latch(), Latch())
        publisher.perform { _ in
            begun.open()
            _ = goesOn.wait()
        }
        #expect(begun.wait(seconds: 60))
        publisher.reduced(["a": 1], version: 1, changed: true)
        publisher.committed(["a": 1], through: 1, for: nil)
        streams.count.store(0, ordering: .relaxed)
        goesOn.open()
        publisher.flush(seconds: 60)
        streams.count.store(1, ordering: .relaxed)
        open(part)
        #expect(streams.sent == ["1 1"])
        publisher.close()
    }

    private func open(_ part: WatchedPart) {
        publisher.perform { [publisher] in publisher.announce(part, in: $0) }
        publisher.flush(seconds: 60)
    }

    /// Streams whose number the test sets. They record the version and the data of each frame.
    private final class Streams: StreamPublisher {
        let count = Atomic(0)
        private let frames = Locked<[String]>([])

        /// The frames since the last call.
        var sent: [String] {
            frames.withLock { frames in
                defer { frames = [] }
                return frames
            }
        }

        var open: Int { count.load(ordering: .relaxed) }
        var workSeconds: Double { 0 }
        var keepsUp: Bool { true }

        func isRead(_ topic: TopicID) -> Bool { topic.mode == .snapshot }
        func sendOnce(_ frame: Bytes, to topic: TopicID) -> Bool { true }

        func publish(topic: TopicID, version: UInt64, frame: Bytes, for audience: StreamAudience?) {
            let lines = String(decoding: frame.array, as: UTF8.self).split(separator: "\n")
            let data = lines.first { $0.hasPrefix("data: ") } ?? ""
            frames.withLock { $0.append("\(version) \(data.dropFirst(6))") }
        }

        func publish(
            topic: TopicID,
            version: UInt64,
            state: any TopicState,
            for audience: StreamAudience?
        ) {}
    }

    private final class Log: VersionFollower {
        func published(_ version: UInt64) {}
    }
}
