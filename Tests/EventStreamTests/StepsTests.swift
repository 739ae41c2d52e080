import EventStream
import Testing
import Wire

/// A state that is a number, whose frames say what they lead from and to.
private final class Count: TopicState {
    let number: Int
    let bytes: Int
    let madeSteps: Made

    final class Made: @unchecked Sendable {
        // Safety: one test, one thread.
        var count = 0
    }

    init(_ number: Int, bytes: Int = 100, _ made: Made = Made()) {
        self.number = number
        self.bytes = bytes
        madeSteps = made
    }

    func whole() -> Bytes { Bytes(utf8: "=\(number)") }

    func step(from old: any TopicState, isSkip: Bool) -> Bytes? {
        guard let old = old as? Count, number >= 0 else { return nil }
        madeSteps.count += 1
        return Bytes(utf8: "\(old.number)\(isSkip ? "…" : "")>\(number)")
    }

    func bytesKept(beside newer: any TopicState) -> Int { bytes }
}

/// Steps that can be asked within an expectation.
private final class Asked {
    private var steps = Steps()

    func publish(_ state: Count, version: UInt64) -> Bool { steps.publish(state, version: version) }

    func frame(from known: UInt64?, kept: (UInt64) -> (any TopicState)?) -> Bytes? {
        steps.frame(from: known, kept: kept)
    }
}

@Suite struct StepsTests {
    private let none: (UInt64) -> (any TopicState)? = { _ in nil }

    @Test func `who has nothing gets all of the newest, once there is one`() {
        let steps = Asked()
        #expect(steps.frame(from: nil, kept: none) == nil)
        #expect(steps.frame(from: 3, kept: none) == nil)
        #expect(steps.publish(Count(4), version: 4))
        #expect(steps.frame(from: nil, kept: none) == Bytes(utf8: "=4"))
    }

    @Test func `who has a version that is kept gets the step from it, and anyone else all`() {
        let steps = Asked()
        #expect(steps.publish(Count(1), version: 1))
        #expect(steps.publish(Count(2), version: 2))
        let kept: (UInt64) -> (any TopicState)? = { [0, 1].contains($0) ? Count(Int($0)) : nil }
        #expect(steps.frame(from: 1, kept: kept) == Bytes(utf8: "1>2"))
        #expect(steps.frame(from: 0, kept: kept) == Bytes(utf8: "0…>2"))
        #expect(steps.frame(from: 7, kept: kept) == Bytes(utf8: "=2"))
    }

    @Test func `a step is made once for all who have the same version`() {
        let made = Count.Made()
        let steps = Asked()
        #expect(steps.publish(Count(1), version: 1))
        #expect(steps.publish(Count(2, made), version: 2))
        let frames = (0..<100).compactMap { _ in steps.frame(from: 1) { _ in Count(1) } }
        #expect(made.count == 1)
        #expect(frames.count == 100 && frames.allSatisfy { $0 === frames[0] })
    }

    @Test func `where there is no step, all is sent, and no step is tried again`() {
        let steps = Asked()
        #expect(steps.publish(Count(1), version: 1))
        #expect(steps.publish(Count(-1), version: 2))
        let first = steps.frame(from: 1) { _ in Count(1) }
        #expect(first == Bytes(utf8: "=-1"))
        #expect(steps.frame(from: nil, kept: none) === first)
    }

    @Test func `a version has few steps, but always that from the version before`() {
        let made = Count.Made()
        let steps = Asked()
        let last = UInt64(Steps.stepsMax) * 2
        #expect(steps.publish(Count(Int(last)), version: last))
        #expect(steps.publish(Count(Int(last) + 1, made), version: last + 1))
        for known in 0..<last { _ = steps.frame(from: known) { Count(Int($0)) } }
        #expect(made.count == Steps.stepsMax)
        #expect(steps.frame(from: last) { Count(Int($0)) } == Bytes(utf8: "\(last)>\(last + 1)"))
        #expect(steps.frame(from: last - 1) { Count(Int($0)) } == Bytes(utf8: "=\(last + 1)"))
    }

    @Test func `it never goes backwards`() {
        let steps = Asked()
        #expect(steps.publish(Count(4), version: 4))
        let same = steps.publish(Count(5), version: 4)
        let older = steps.publish(Count(5), version: 3)
        #expect(!same && !older)
        #expect(steps.frame(from: nil, kept: none) == Bytes(utf8: "=4"))
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
        #expect(recent.bytes == RecentStates.statesMax)
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
        #expect(recent.count == 1 && recent.bytes == 1)
        recent.keep(Count(0), of: 0, at: 3, bytes: RecentStates.bytesMax + 1)
        #expect(recent.count == 0 && recent.bytes == 0)
    }

    @Test func `a topic that nobody reads leaves nothing behind`() {
        var recent = RecentStates()
        for version in 1...10 as ClosedRange<UInt64> {
            recent.keep(Count(0), of: 1, at: version, bytes: 10)
            recent.keep(Count(0), of: 2, at: version, bytes: 1)
        }
        recent.forget(1)
        #expect(recent.count == 10 && recent.bytes == 10)
        #expect(recent.state(of: 1, at: 5) == nil)
        #expect(recent.state(of: 2, at: 5) != nil)
    }
}
