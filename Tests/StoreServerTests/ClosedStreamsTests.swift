import StoreCore
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
    private let states: StateStreams
    private let publisher: StatePublisher<State>

    init() throws {
        let writer = WholeStateWriter<State>(JSONEncoder())
        states = StateStreams(
            try writer.firstSnapshot(["a": 0], at: Tag(epoch: epoch, version: 0)),
            TopicDistributor(streams: streams, epoch: epoch),
            documents: ParsedDocuments(),
            waiters: LongPolls(),
            wake: {}
        )
        publisher = StatePublisher(writer, to: states, log: Log(), logger: .standardError)
    }

    @Test func `the next reader of a part begins with the newest commit`() throws {
        let part = states.parts.part(at: try #require(JSONPointer("/a")))
        streams.count.store(1, ordering: .relaxed)
        #expect(opened(part) == "0 0")
        let (begun, goesOn) = (Latch(), Latch())
        states.publishingThread.perform { _ in
            begun.open()
            _ = goesOn.wait()
        }
        #expect(begun.wait(seconds: 60))
        publisher.didReduce(["a": 1], version: 1, changed: true)
        publisher.publish(["a": 1], through: 1, for: nil)
        streams.count.store(0, ordering: .relaxed)
        goesOn.open()
        states.flush(seconds: 60)
        streams.count.store(1, ordering: .relaxed)
        #expect(opened(part) == "1 1")
        states.close()
    }

    /// Opens a stream. Returns the version and the data of the first frame.
    private func opened(_ part: WatchedPart) -> String? {
        let opened = Locked<String?>(nil)
        states.open(.part(part), in: .snapshot) { first in
            guard case .shared(let version, _)? = first, case .frame(let frame) = version.content
            else { return }
            let lines = String(decoding: frame.array, as: UTF8.self).split(separator: "\n")
            let data = lines.first { $0.hasPrefix("data: ") } ?? ""
            opened.withLock { $0 = "\(version.number) \(data.dropFirst(6))" }
        }
        states.flush(seconds: 60)
        return opened.withLock { $0 }
    }

    /// Streams whose number the test sets.
    private final class Streams: StreamPublisher {
        let count = Atomic(0)

        var openStreamCount: Int { count.load(ordering: .relaxed) }
        var workSeconds: Double { 0 }
        var keepsUp: Bool { true }

        func hasReaders(_ topic: TopicID) -> Bool { topic.mode == .snapshot }
        func sendUnversioned(_ frame: Bytes, to topic: TopicID) -> Bool { true }

        func publish(_ version: TopicVersion, to topic: TopicID, for filter: ReaderFilter?) {}
    }

    private final class Log: VersionFollower {
        func notePublished(_ version: UInt64) {}
    }
}
