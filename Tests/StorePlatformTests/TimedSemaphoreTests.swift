import StorePlatform
import Testing

/// Real time is the subject of some tests, so these wait until a timeout. The other waits end with
/// a signal.
struct TimedSemaphoreTests {
    @Test func `a signal that came before the wait ends it`() {
        let semaphore = TimedSemaphore()
        semaphore.signal()
        #expect(semaphore.wait(seconds: 60))
    }

    @Test func `a signal from another thread ends a wait`() {
        let semaphore = TimedSemaphore()
        SystemThread.start(name: "signals") { semaphore.signal() }
        #expect(semaphore.wait(seconds: 60))
    }

    @Test func `each signal ends one wait`() {
        let semaphore = TimedSemaphore()
        semaphore.signal()
        semaphore.signal()
        #expect(semaphore.wait(seconds: 0))
        #expect(semaphore.wait(seconds: 0))
        #expect(!semaphore.wait(seconds: 0))
    }

    @Test func `a wait ends when its time is over, and not before`() {
        let began = ContinuousClock.now
        #expect(!TimedSemaphore().wait(seconds: 0.05))
        #expect(began.duration(to: .now) >= .milliseconds(50))
    }

    @Test(arguments: [-1.0, -.infinity, 1e-12])
    func `a time that is over already is no wait`(seconds: Double) {
        #expect(!TimedSemaphore().wait(seconds: seconds))
    }

    @Test func `a time without end is cut, and still ended by a signal`() {
        let semaphore = TimedSemaphore()
        SystemThread.start(name: "signals") { semaphore.signal() }
        #expect(semaphore.wait(seconds: .infinity))
    }
}
