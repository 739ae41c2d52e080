import Testing

@testable import StoreHTTPTransport

/// The pauses of the log's readers, which leave the processor to clients that dispatch.
@Suite struct LogPaceTests {
    private let much = CatchUpPace.pausedTurnBytesMin

    private func pause(afterTurnOf seconds: Double, bytes: Int, versions: [UInt64]) -> Double {
        var pace = CatchUpPace()
        for version in versions {
            pace.noteTurn(from: 10, to: 10 + seconds, bytes: bytes, version: version)
        }
        return pace.pauseSeconds(at: 10 + seconds)
    }

    @Test func `a turn that sent much while actions are applied is followed by a pause`() {
        let pause = pause(afterTurnOf: 0.002, bytes: much, versions: [7, 8])
        #expect(abs(pause - 0.002 * CatchUpPace.pauseFactor) < 1e-9)
    }

    @Test func `a pause has a bound, however long the turn took`() {
        let pause = pause(afterTurnOf: 5, bytes: much, versions: [7, 8])
        #expect(abs(pause - CatchUpPace.pauseSecondsMax) < 1e-9)
    }

    @Test func `a pause ends`() {
        var pace = CatchUpPace()
        pace.noteTurn(from: 10, to: 10.001, bytes: much, version: 1)
        #expect(pace.pauseSeconds(at: 10.001) > 0)
        #expect(pace.pauseSeconds(at: 10.001 + CatchUpPace.pauseSecondsMax) == 0)
    }

    @Test func `readers that keep up don't wait`() {
        #expect(pause(afterTurnOf: 0.002, bytes: much - 1, versions: [7, 8]) == 0)
    }

    @Test func `there is no pause while nothing is applied`() {
        #expect(pause(afterTurnOf: 0.002, bytes: much, versions: [0]) == 0)
    }
}
