import StorePlatform
import Testing

struct LatchTests {
    @Test func `an open latch ends each wait, and a closed latch ends none`() {
        let latch = Latch()
        #expect(!latch.wait(seconds: 0))
        latch.open()
        for _ in 0..<3 { #expect(latch.wait(seconds: 60)) }
    }
}
