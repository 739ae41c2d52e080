import StoreJSON
import StoreWire
import Testing

@testable import StoreHTTPTransport

/// Returns the chunk of a text, so that tests see that a chunk is made once.
private func chunk(_ text: String) -> Bytes { Chunk.encode(Bytes(utf8: text)) }

/// A number as a state. Its frames name the numbers from which and to which they lead.
private final class Count: TopicState {
    let number: Int
    let unsharedByteCount: Int
    let patchesMade: Made

    final class Made: @unchecked Sendable {
        // Safety: one test, one thread.
        var count = 0
    }

    init(_ number: Int, bytes: Int = 100, _ made: Made = Made()) {
        self.number = number
        self.unsharedByteCount = bytes
        patchesMade = made
    }

    func snapshotFrame() -> Bytes { Bytes(utf8: "=\(number)") }

    func patchFrame(from old: any TopicState, skipsVersions: Bool) -> Bytes? {
        guard let old = old as? Count, number >= 0 else { return nil }
        patchesMade.count += 1
        return Bytes(utf8: "\(old.number)\(skipsVersions ? "…" : "")>\(number)")
    }

    func unsharedByteCount(beside newer: any TopicState) -> Int { unsharedByteCount }
}

/// Patch frames for use within an expectation.
private final class Frames {
    private var frames = PatchFrames()

    func setNewest(_ state: Count, version: UInt64) -> Bool {
        frames.setNewest(state, version: version)
    }

    func frame(from known: UInt64?, kept: (UInt64) -> (any TopicState)?) -> Bytes? {
        frames.frame(from: known, earlierState: kept)
    }
}

@Suite struct PatchFramesTests {
    private let none: (UInt64) -> (any TopicState)? = { _ in nil }

    @Test func `a reader that has nothing gets the whole, once there is a version`() {
        let frames = Frames()
        #expect(frames.frame(from: nil, kept: none) == nil)
        #expect(frames.frame(from: 3, kept: none) == nil)
        #expect(frames.setNewest(Count(4), version: 4))
        #expect(frames.frame(from: nil, kept: none) == chunk("=4"))
    }

    @Test
    func
        `a reader gets the patch from the version that it has, and the whole where that is not kept`()
    {
        let frames = Frames()
        #expect(frames.setNewest(Count(1), version: 1))
        #expect(frames.setNewest(Count(2), version: 2))
        let kept: (UInt64) -> (any TopicState)? = { [0, 1].contains($0) ? Count(Int($0)) : nil }
        #expect(frames.frame(from: 1, kept: kept) == chunk("1>2"))
        #expect(frames.frame(from: 0, kept: kept) == chunk("0…>2"))
        #expect(frames.frame(from: 7, kept: kept) == chunk("=2"))
    }

    @Test func `a patch is made and framed once for all readers that have the same version`() {
        let made = Count.Made()
        let frames = Frames()
        #expect(frames.setNewest(Count(1), version: 1))
        #expect(frames.setNewest(Count(2, made), version: 2))
        let same = (0..<100).compactMap { _ in frames.frame(from: 1) { _ in Count(1) } }
        #expect(made.count == 1)
        #expect(same.count == 100 && same.allSatisfy { $0 === same[0] })
    }

    @Test func `without a patch the whole is sent, and no second patch is tried`() {
        let frames = Frames()
        #expect(frames.setNewest(Count(1), version: 1))
        #expect(frames.setNewest(Count(-1), version: 2))
        let first = frames.frame(from: 1) { _ in Count(1) }
        #expect(first == chunk("=-1"))
        #expect(frames.frame(from: nil, kept: none) === first)
    }

    @Test func `a version has few patches, but always that from the version before`() {
        let made = Count.Made()
        let frames = Frames()
        let last = UInt64(PatchFrames.patchesMax) * 2
        #expect(frames.setNewest(Count(Int(last)), version: last))
        #expect(frames.setNewest(Count(Int(last) + 1, made), version: last + 1))
        for known in 0..<last { _ = frames.frame(from: known) { Count(Int($0)) } }
        #expect(made.count == PatchFrames.patchesMax)
        #expect(frames.frame(from: last) { Count(Int($0)) } == chunk("\(last)>\(last + 1)"))
        #expect(frames.frame(from: last - 1) { Count(Int($0)) } == chunk("=\(last + 1)"))
    }

    @Test func `a patch stream never goes backwards`() {
        let frames = Frames()
        #expect(frames.setNewest(Count(4), version: 4))
        let same = frames.setNewest(Count(5), version: 4)
        let older = frames.setNewest(Count(5), version: 3)
        #expect(!same && !older)
        #expect(frames.frame(from: nil, kept: none) == chunk("=4"))
    }
}

@Suite struct RecentStatesTests {
    @Test func `the oldest of all topics go at the bound of states`() {
        var recent = RecentStates()
        let count = UInt64(RecentStates.statesMax)
        for version in 0...count {
            recent.keep(Count(0), of: Int32(version % 2), at: version, bytes: 1)
        }
        #expect(recent.count == RecentStates.statesMax)
        #expect(recent.unsharedBytes == RecentStates.statesMax)
        #expect(recent.state(of: 0, at: 0) == nil)
        #expect(recent.state(of: 1, at: 1) != nil)
        #expect(recent.state(of: 0, at: 1) == nil)
        #expect(recent.state(of: 0, at: count) != nil)
    }

    @Test func `bytes are bounded, even those of a single state`() {
        var recent = RecentStates()
        recent.keep(Count(0), of: 0, at: 1, bytes: RecentStates.bytesMax)
        #expect(recent.count == 1)
        recent.keep(Count(0), of: 0, at: 2, bytes: 1)
        #expect(recent.count == 1 && recent.unsharedBytes == 1)
        recent.keep(Count(0), of: 0, at: 3, bytes: RecentStates.bytesMax + 1)
        #expect(recent.count == 0 && recent.unsharedBytes == 0)
    }

    @Test func `a topic that is forgotten leaves nothing behind`() {
        var recent = RecentStates()
        for version in 1...10 as ClosedRange<UInt64> {
            recent.keep(Count(0), of: 1, at: version, bytes: 10)
            recent.keep(Count(0), of: 2, at: version, bytes: 1)
        }
        recent.forget(1)
        #expect(recent.count == 10 && recent.unsharedBytes == 10)
        #expect(recent.state(of: 1, at: 5) == nil)
        #expect(recent.state(of: 2, at: 5) != nil)
    }
}
