import Dispatch
import Glibc
import StoreJSON
import StorePlatform
import StoreTestSupport
import StoreWire
import Synchronization
import Testing

@testable import StoreHTTPTransport

/// Several stream writers on one thread.
@Suite(.serialized) struct StreamThreadTests {
    private func publish(_ writer: StreamWriter, _ version: UInt64, _ text: String) {
        writer.publish(topic: .state, version: version, frame: Bytes(utf8: text + "\n"))
    }

    /// Returns the number of the process's threads with this name.
    private func threads(named name: String) throws -> Int {
        let directory = try #require(opendir("/proc/self/task"))
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            let id = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            // A thread that has ended meanwhile has no such file.
            guard let file = fopen("/proc/self/task/\(id)/comm", "r") else { continue }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 32)
            guard fgets(&line, CInt(line.count), file) != nil else { continue }
            let text = line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:))
            if String(decoding: text, as: UTF8.self) == name { count += 1 }
        }
        return count
    }

    @Test func `frames of two writers reach the readers of each`() throws {
        let shared = try SharedWriters(2)
        let writers = shared.writers
        publish(writers[0], 0, "a0")
        publish(writers[1], 0, "b0")
        let first = try (0..<5).map { _ in try shared.reader(of: 0) }
        let second = try (0..<5).map { _ in try shared.reader(of: 1) }
        for version in 1...50 as ClosedRange<UInt64> {
            publish(writers[Int(version) % 2], version, "v\(version)")
        }
        for (readers, name, parity) in [(first, "a", 0), (second, "b", 1)] {
            for reader in readers {
                // A reader that joins late begins with the newest frame.
                #expect(try reader.read(through: "\n") == "\(name)0\n")
                for version in 1...50 where version % 2 == parity {
                    #expect(try reader.read(through: "\n") == "v\(version)\n")
                }
            }
        }
        #expect(writers.map(\.openStreamCount) == [5, 5])
    }

    @Test func `fifty writers have one thread, and each has its frames and heartbeats`() throws {
        var limits = StreamLimits()
        limits.heartbeatSeconds = 1
        let shared = try SharedWriters(50, limits: limits, name: "fifty writers")
        let writers = shared.writers
        for (number, writer) in writers.enumerated() { publish(writer, 7, "of \(number)") }
        let readers = try writers.indices.map { try shared.reader(of: $0) }
        for (number, reader) in readers.enumerated() {
            #expect(try reader.read(through: "of \(number)\n").hasSuffix("of \(number)\n"))
        }
        for reader in readers { #expect(try reader.read(through: "\n") == "beat 7\n") }
        #expect(try threads(named: "fifty writers") == 1)
        #expect(shared.threads == 1)
    }

    @Test func `a writer is stopped, and the others go on`() throws {
        let shared = try SharedWriters(3)
        let writers = shared.writers
        for writer in writers { publish(writer, 1, "v1") }
        let readers = try writers.indices.map { try shared.reader(of: $0) }
        for reader in readers { #expect(try reader.read(through: "\n") == "v1\n") }
        #expect(writers[1].stop(reason: .shutdown, seconds: 5))
        #expect(try readers[1].read(through: "\n") == "bye shutdown\n")
        #expect(try readers[1].isEnded())
        #expect(writers.map(\.openStreamCount) == [1, 0, 1])
        for number in [0, 2] {
            publish(writers[number], 2, "v2")
            #expect(try readers[number].read(through: "\n") == "v2\n")
        }
        // The place of the stopped writer is free for another writer.
        let added = try shared.addWriter()
        publish(added, 5, "added")
        #expect(try shared.reader(of: 3).read(through: "\n") == "added\n")
    }

    @Test func `a reader that takes nothing is cut off at the end of its writer's time`() throws {
        let shared = try SharedWriters(2)
        let writers = shared.writers
        let stalled = try shared.reader(of: 0)
        let reader = try shared.reader(of: 1)
        publish(writers[0], 1, String(repeating: ".", count: 32 << 20))
        #expect(writers[0].stop(reason: .shutdown, seconds: 0.1) == false)
        #expect(writers[0].openStreamCount == 0)
        publish(writers[1], 1, "v1")
        #expect(try reader.read(through: "\n") == "v1\n")
        _ = stalled
    }

    @Test func `a stream that begins when its writer has ended gets bye, and its place is free`()
        throws
    {
        let places = StreamPlaces(streamsMax: 10)
        let shared = try SharedWriters(2, places: places)
        #expect(shared.writers[0].stop(reason: .shutdown, seconds: 5))
        let late = try shared.reader(of: 0)
        #expect(try late.read(through: "\n") == "bye shutdown\n")
        #expect(try late.isEnded())
        let end = ContinuousClock.now + .seconds(10)
        while places.takenPlaceCount > 0, .now < end { sched_yield() }
        #expect(shared.writers[0].openStreamCount == 0)
        #expect(places.takenPlaceCount == 0)
    }

    @Test func `writers join from several threads while others serve`() throws {
        let shared = try SharedWriters(1)
        let first = shared.writers[0]
        publish(first, 0, "v0")
        let reader = try shared.reader(of: 0)
        #expect(try reader.read(through: "\n") == "v0\n")
        let version = Atomic<UInt64>(0)
        DispatchQueue.concurrentPerform(iterations: 40) { index in
            if index % 2 == 0 {
                _ = try? shared.addWriter()
            } else {
                let next = version.add(1, ordering: .relaxed).newValue
                publish(first, next, "v\(next)")
            }
        }
        publish(first, 100, "last")
        #expect(try reader.read(through: "last\n").hasSuffix("last\n"))
        let writers = shared.writers
        #expect(writers.count == 21)
        for (number, writer) in writers.enumerated().dropFirst() {
            publish(writer, 1, "of \(number)")
            #expect(try shared.reader(of: number).read(through: "\n") == "of \(number)\n")
        }
        #expect(shared.threads == 1)
    }

    @Test func `a thread that is stopped takes no writer`() throws {
        let thread = try StreamThread { SystemThread.start(name: $0, $1) }
        let writer = try StreamWriter(limits: StreamLimits(), frames: .lines)
        try writer.start(on: thread)
        #expect(writer.stop(reason: .shutdown, seconds: 5))
        thread.stop()
        let late = try StreamWriter(limits: StreamLimits(), frames: .lines)
        #expect(throws: TransportError.self) { try late.start(on: thread) }
        // A thread that never had a writer has nothing to wait for.
        try StreamThread { _, _ in }.stop()
    }

    @Test func `places that writers share are bounded together, and come back`() throws {
        var limits = StreamLimits()
        limits.streamsMax = 2
        let places = StreamPlaces(streamsMax: 3)
        let shared = try SharedWriters(3, limits: limits, places: places)
        let writers = shared.writers
        for writer in writers { publish(writer, 0, "v0") }
        var readers = try [0, 0, 1].map { try shared.reader(of: $0) }
        // The first writer has no place of its own left, and the other writers have no shared place
        // left.
        for number in 0..<3 {
            #expect(try shared.connection(to: number).response().status == 503)
        }
        #expect(writers.map(\.openStreamCount) == [2, 1, 0])
        #expect(places.takenPlaceCount == 3)
        #expect(writers.map { $0.counters.refusedForPlaces.load(ordering: .relaxed) } == [1, 1, 1])
        readers.removeFirst()
        let end = ContinuousClock.now + .seconds(10)
        while places.takenPlaceCount > 2, .now < end { publish(writers[0], 0, "v0") }
        #expect(writers.map(\.openStreamCount) == [1, 1, 0])
        let next = try shared.reader(of: 2)
        #expect(try next.read(through: "\n") == "v0\n")
        #expect(places.takenPlaceCount == 3)
        _ = readers
    }

    @Test func `a reader that takes nothing does not stop the frames of another writer`() throws {
        let shared = try SharedWriters(2)
        let writers = shared.writers
        publish(writers[1], 0, "v0")
        let stalled = try shared.reader(of: 0)
        let lively = try shared.reader(of: 1)
        #expect(try lively.read(through: "\n") == "v0\n")
        let padding = String(repeating: ".", count: 400_000)
        for version in 1...100 as ClosedRange<UInt64> {
            publish(writers[0], version, padding)
            publish(writers[1], version, "v\(version)")
            #expect(try lively.read(through: "\n") == "v\(version)\n")
        }
        #expect(writers[0].counters.framesConflated.load(ordering: .relaxed) > 0)
        _ = stalled
    }

    @Test func `two writers with many frames take turns`() throws {
        let shared = try SharedWriters(2)
        let writers = shared.writers
        for writer in writers { publish(writer, 0, "v0") }
        let readers = try writers.indices.map { try shared.reader(of: $0) }
        for reader in readers { #expect(try reader.read(through: "\n") == "v0\n") }
        // The test holds the thread until both writers have all of their frames.
        let (begun, goesOn) = (Latch(), Latch())
        writers[0].publish(topic: .state, version: 1, frame: Bytes(utf8: "v1\n")) { _ in
            begun.open()
            return goesOn.wait(seconds: 60)
        }
        #expect(begun.wait(seconds: 60))
        let order = Locked<[Int]>([])
        for version in 2...11 as ClosedRange<UInt64> {
            for (number, writer) in writers.enumerated() {
                writer.publish(
                    topic: .state,
                    version: version,
                    frame: Bytes(utf8: "v\(version)\n")
                ) { _ in
                    order.withLock { $0.append(number) }
                    useUpTurn()
                    return true
                }
            }
        }
        goesOn.open()
        for reader in readers {
            #expect(try reader.read(through: "v11\n").hasSuffix("v10\nv11\n"))
        }
        var ahead = 0
        for number in order.withLock({ $0 }) {
            ahead += number == 0 ? 1 : -1
            #expect((-1...1).contains(ahead))
        }
        #expect(order.withLock { $0.count } == 20)
    }

    @Test func `writers that are always ready leave the others their turns`() throws {
        // The number of writers is above the events of one round of epoll.
        let shared = try SharedWriters(SharedStreamLoops.eventsMax + 2)
        let writers = shared.writers
        let quiet = try #require(writers.last)
        publish(quiet, 0, "v0")
        let reader = try shared.reader(of: writers.count - 1)
        #expect(try reader.read(through: "\n") == "v0\n")
        let isDone = Atomic(false)
        let flooding = Latch()
        startThread("flood") {
            while !isDone.load(ordering: .relaxed) {
                for writer in writers.dropLast() { writer.wakeLogReaders() }
            }
            flooding.open()
        }
        for version in 1...50 as ClosedRange<UInt64> {
            publish(quiet, version, "v\(version)")
            #expect(try reader.read(through: "\n") == "v\(version)\n")
        }
        isDone.store(true, ordering: .relaxed)
        #expect(flooding.wait(seconds: 30))
    }
}

/// Works for longer than a turn on a shared thread may last.
func useUpTurn() {
    let began = SystemTime.steadySeconds()
    while SystemTime.steadySeconds() - began <= StreamLoop.sharedTurnSecondsMax {}
}
