import StoreCore
import Testing

/// Real time is the subject: the tests compare with the system's clock, and do not wait.
struct SteadyClockTests {
    private let dayNanoseconds: Int64 = 86_400_000_000_000

    @Test func `a steady clock begins with the time of day`() {
        let before = SystemClock().now()
        let time = SteadyClock().now()
        #expect(time >= before - 1_000_000 && time <= SystemClock().now() + 1_000_000)
    }

    @Test func `a steady clock goes on from a time that is ahead`() {
        let clock = SteadyClock()
        let tomorrow = SystemClock().now() + dayNanoseconds
        clock.advance(toAtLeast: tomorrow)
        #expect(clock.now() >= tomorrow)
        #expect(clock.now() < tomorrow + dayNanoseconds)
    }

    @Test(arguments: [Int64.min, -1, 0, 1])
    func `a past time does not set a steady clock back`(time: Int64) {
        let clock = SteadyClock()
        let before = clock.now()
        clock.advance(toAtLeast: time)
        #expect(clock.now() >= before)
        #expect(clock.now() < before + dayNanoseconds)
    }
}
