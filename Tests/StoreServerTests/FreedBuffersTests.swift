import StorePlatform
import Synchronization
import Testing

@testable import StoreServer

@Suite struct FreedBuffersTests {
    @Test func `memory is given back once when half of much is freed`() {
        let taken = Atomic<UInt64>(0)
        let count = Atomic<Int>(0)
        let freed = BufferTrimmer(
            { taken.load(ordering: .relaxed) },
            giveBack: { count.add(1, ordering: .relaxed) }
        )
        func counts(_ bytes: [UInt64]) -> [Int] {
            bytes.map {
                taken.store($0, ordering: .relaxed)
                freed.giveBackIfFreed()
                return count.load(ordering: .relaxed)
            }
        }
        let least = BufferTrimmer.freedBytesMin
        #expect(counts([0, least - 1, 0]) == [0, 0, 0])
        let fallen = [4 * least, 2 * least, 2 * least - 1, 2 * least - 1, 0]
        #expect(counts(fallen) == [0, 0, 1, 1, 2])
    }
}
