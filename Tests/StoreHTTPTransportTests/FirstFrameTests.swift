import CStoreHTTPD
import Glibc
import StoreJSON
import StoreTestSupport
import StoreWire
import Testing

@testable import StoreHTTPTransport

/// The first frame of a stream, which travels to the writer with its reader. Tests run the loop.
@Suite final class FirstFrameTests {
    private let writer: StreamWriter
    private let wakeDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    private let loop: StreamLoop

    init() throws {
        writer = try StreamWriter(limits: StreamLimits(), frames: .lines)
        loop = StreamLoop(
            writer: writer,
            epoll: epoll_create1(CInt(EPOLL_CLOEXEC)),
            wakeDescriptor: wakeDescriptor
        )
        loop.begin()
    }

    deinit {
        loop.end()
        close(wakeDescriptor)
    }

    private func frame(_ number: UInt64) -> TopicVersion {
        TopicVersion(number, frame: Bytes(utf8: "v\(number)\n"))
    }

    private func state(_ number: UInt64) -> TopicVersion {
        TopicVersion(number, state: Numbered(number, padding: 0))
    }

    /// Lets a reader join. Returns its end of the stream.
    private func join(_ beginning: StreamBeginning) throws -> CInt {
        let ends = try socketPair()
        try #require(writer.reservePlace(beginning.topic))
        writer.adopt(descriptor: ends.server, beginning, onEnd: nil)
        return ends.client
    }

    /// Returns the frames that a reader got since the last call, after turns of the loop.
    private func frames(of client: CInt) -> String {
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: StreamLoop.eventsMax)
        defer { events.deallocate() }
        for _ in 0..<4 { loop.runTurn(events, waitingFor: 0) }
        var taken = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(client, &taken, taken.count, CInt(MSG_DONTWAIT))
        let text = String(decoding: taken.prefix(max(0, count)), as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline)
        return lines.filter { "v=0123456789".contains($0.prefix(1)) && $0.count > 1 }
            .joined(separator: " ")
    }

    @Test func `a reader begins with its first frame, and goes on behind it`() throws {
        let reader = try join(.test(first: frame(4)))
        #expect(frames(of: reader) == "v4")
        writer.publish(frame(5), to: .state)
        #expect(frames(of: reader) == "v5")
        close(reader)
    }

    @Test func `a version that overtakes the reader takes the place of the first frame`() throws {
        let early = try join(.test(first: frame(4)))
        #expect(frames(of: early) == "v4")
        writer.publish(frame(5), to: .state)
        let late = try join(.test(first: frame(4)))
        #expect(frames(of: early) == "v5")
        #expect(frames(of: late) == "v5")
        close(early)
        close(late)
    }

    @Test func `a reader that has the version of the first frame gets the next`() throws {
        let reader = try join(.test(.after(version: 4), first: frame(4)))
        #expect(frames(of: reader) == "")
        writer.publish(frame(5), to: .state)
        #expect(frames(of: reader) == "v5")
        close(reader)
    }

    @Test func `in patch mode a reader gets the patch from a version that was overtaken`() throws {
        writer.publish(state(5), to: .state.inMode(.patch))
        let reader = try join(.test(in: .patch, .after(version: 4), first: state(4)))
        #expect(frames(of: reader) == "4>5")
        close(reader)
    }
}
