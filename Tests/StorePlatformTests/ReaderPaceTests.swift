import Testing

@testable import StorePlatform

/// The pauses of threads that work for readers, which leave the processor to clients that dispatch.
@Suite struct ReaderPaceTests {
    /// Returns a pace after this number of versions in a tenth of a second.
    private func pace(after versions: UInt64) -> ReaderPace {
        var pace = ReaderPace()
        pace.noteVersion(7, at: 10)
        pace.noteVersion(7 + versions, at: 10.1)
        pace.beginWork(at: 10.1)
        return pace
    }

    @Test func `during few actions there is no pause after work of any length`() {
        let pace = pace(after: UInt64(ReaderPace.busyVersionsPerSecond / 10) - 1)
        #expect(!pace.isBusy)
        #expect(!pace.isPauseDue(at: 20))
        #expect(pace.pauseSeconds(at: 20) == nil)
    }

    @Test func `during many actions the pause is four times the work, within its bounds`() {
        let pace = pace(after: UInt64(ReaderPace.busyVersionsPerSecond / 10))
        #expect(pace.isBusy)
        #expect(!pace.isPauseDue(at: 10.1005))
        #expect(pace.isPauseDue(at: 10.102))
        #expect(abs((pace.pauseSeconds(at: 10.102) ?? 0) - 0.008) < 1e-9)
        #expect(abs((pace.pauseSeconds(at: 10.102, otherWorkSeconds: 0.01) ?? 0) - 0.048) < 1e-9)
        #expect(pace.pauseSeconds(at: 10.1) == ReaderPace.pauseSecondsMin)
        #expect(pace.pauseSeconds(at: 20) == ReaderPace.pauseSecondsMax)
    }

    @Test func `a few actions at once are not many, and old actions do not count`() {
        var pace = ReaderPace()
        pace.noteVersion(0, at: 10)
        pace.noteVersion(500, at: 10.001)
        #expect(!pace.isBusy)
        pace.noteVersion(1_000, at: 10.02)
        #expect(pace.isBusy)
        pace.noteVersion(1_001, at: 12)
        #expect(!pace.isBusy)
    }
}
