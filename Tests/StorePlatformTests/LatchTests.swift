import StorePlatform
import Testing

struct LatchTests {
    @Test func `a latch that is open ends each wait, one that is not ends none`() {
        let latch = Latch()
        #expect(!latch.wait(seconds: 0))
        latch.open()
        for _ in 0..<3 { #expect(latch.wait(seconds: 60)) }
    }
}
