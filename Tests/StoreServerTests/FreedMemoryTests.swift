import StorePlatform
import Synchronization
import Testing

@testable import StoreServer

struct FreedMemoryTests {
    /// A process whose memory and clock the test sets.
    private final class Process: Sendable {
        struct State: Sendable {
            var now = 0.0
            var resident = 50 << 20
            var trims = 0
            /// The time of a trim in seconds, and the memory after it.
            var cost = 0.001
            var left = 50 << 20
        }

        let state = Locked(State())

        func memory() -> MemoryTrimmer {
            MemoryTrimmer(
                residentBytes: { [self] in state.withLock { $0.resident } },
                giveBack: { [self] in
                    state.withLock {
                        $0.trims += 1
                        $0.now += $0.cost
                        $0.resident = $0.left
                    }
                },
                now: { [self] in state.withLock { $0.now } }
            )
        }

        func pass(_ seconds: Double, grownTo megabytes: Int) {
            state.withLock {
                $0.now += seconds
                $0.resident = megabytes << 20
            }
        }

        var trims: Int { state.withLock { $0.trims } }
    }

    @Test func `freed memory is given back if the process has grown`() {
        let process = Process()
        let memory = process.memory()
        process.pass(29, grownTo: 90)
        memory.giveBackIfDue()
        #expect(process.trims == 0)
        process.pass(1, grownTo: 90)
        memory.giveBackIfDue()
        #expect(process.trims == 1)
        process.pass(29, grownTo: 90)
        memory.giveBackIfDue()
        #expect(process.trims == 1)
        process.pass(2, grownTo: 90)
        memory.giveBackIfDue()
        #expect(process.trims == 2)
    }

    @Test func `a process that rests is left alone`() {
        let process = Process()
        let memory = process.memory()
        for _ in 0..<10 {
            process.pass(31, grownTo: 50)
            memory.giveBackIfDue()
        }
        #expect(process.trims == 0)
    }

    @Test func `slow growth is noticed, too`() {
        let process = Process()
        let memory = process.memory()
        process.pass(31, grownTo: 50)
        process.state.withLock { $0.resident += 700 << 10 }
        memory.giveBackIfDue()
        #expect(process.trims == 0)
        process.pass(31, grownTo: 50)
        process.state.withLock { $0.resident += 1_400 << 10 }
        memory.giveBackIfDue()
        #expect(process.trims == 1)
    }

    @Test func `a slow trim is done more rarely`() {
        let process = Process()
        process.state.withLock { $0.cost = 0.1 }
        let memory = process.memory()
        process.pass(30, grownTo: 90)
        memory.giveBackIfDue()
        #expect(process.trims == 1)
        process.pass(199, grownTo: 90)
        memory.giveBackIfDue()
        #expect(process.trims == 1)
        process.pass(2, grownTo: 90)
        memory.giveBackIfDue()
        #expect(process.trims == 2)
    }
}
