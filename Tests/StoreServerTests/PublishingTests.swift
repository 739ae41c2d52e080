import StoreCore
import StoreJSON
import StorePatterns
import StorePlatform
import StoreTestSupport
import StoreWire
import Synchronization
import Testing

@testable import StoreHistory
@testable import StorePublishing
@testable import StoreServer

/// The order of the frames for readers, while other threads commit and open streams.
@Suite struct PublishingTests {
    private static let epoch = Epoch(rawValue: 0x4f1c_09ab)

    /// A thread of its own, or the threads of a pool.
    private static let threads: [ThreadPool?] = [
        nil, ThreadPool(name: "test", threadsMax: 2, idleSecondsMax: 1),
    ]

    fileprivate static func snapshot(_ version: UInt64, bytes: Int = 1) -> Snapshot {
        Snapshot(
            tag: Tag(epoch: epoch, version: version),
            state: Bytes(utf8: String(repeating: "0", count: bytes))
        )
    }

    private static func commit(
        _ versions: ClosedRange<UInt64>,
        for audience: Audience? = nil,
        bytes: Int = 1,
        views: Commit.ViewPublisher? = nil
    ) -> Commit {
        Commit(
            versions.map { snapshot($0, bytes: bytes) },
            after: snapshot(versions.lowerBound - 1),
            for: audience,
            views
        )
    }

    /// The work of a publishing thread, which records its commits.
    private final class Readers: Sendable {
        let seen = Locked<[String]>([])
        let isRead = Atomic(true)

        var work: PublishingThread.Handlers {
            PublishingThread.Handlers { [self] commit in
                let versions = commit.snapshots.map { "\($0.version)" }.joined(separator: ",")
                note("\(commit.previous.version)>\(versions)")
            } didRunTasks: {
            } didSkipVersions: { [self] in
                note("skipped")
            }
        }

        func note(_ text: String) { seen.withLock { $0.append(text) } }
        func publishing(
            on pool: ThreadPool? = nil,
            pace: PublicationPace? = nil
        ) -> PublishingThread {
            let first = PublishingTests.snapshot(0)
            let publishing = PublishingThread(first, on: pool, pace: pace) { [self] in
                isRead.load(ordering: .sequentiallyConsistent)
            }
            publishing.start { [self] in work }
            return publishing
        }
    }

    @Test(arguments: threads)
    func `commits and requests are worked in their order`(_ pool: ThreadPool?) {
        let readers = Readers()
        let publishing = readers.publishing(on: pool)
        publish(Self.commit(1...2), on: publishing)
        #expect(publishing.snapshot.version == 2, "it is to be seen at once")
        publishing.perform { readers.note("open at \($0.version)") }
        publish(Self.commit(3...3), on: publishing)
        publishing.flush(seconds: 60)
        #expect(readers.seen.withLock { $0 } == ["0>1,2", "open at 2", "2>3"])
        publishing.close()
    }

    @Test(arguments: threads)
    func `a commit without a reader is marked as skipped`(_ pool: ThreadPool?) {
        let readers = Readers()
        let publishing = readers.publishing(on: pool)
        publish(Self.commit(1...1), on: publishing)
        publishing.flush(seconds: 60)
        readers.isRead.store(false, ordering: .sequentiallyConsistent)
        publish(Self.commit(2...2), on: publishing)
        readers.isRead.store(true, ordering: .sequentiallyConsistent)
        publishing.perform { readers.note("open at \($0.version)") }
        publish(Self.commit(3...3), on: publishing)
        publishing.flush(seconds: 60)
        #expect(readers.seen.withLock { $0 } == ["0>1", "skipped", "open at 2", "2>3"])
        publishing.close()
    }

    @Test(arguments: threads)
    func `a stream that opens misses nothing that is committed meanwhile`(_ pool: ThreadPool?) async
    {
        let publishing = PublishingThread(Self.snapshot(0), on: pool) { true }
        let count = 2_000
        let opened = OpenStreams()
        let work = PublishingThread.Handlers { commit in
            opened.streams.withLock { streams in
                for index in streams.indices {
                    for snapshot in commit.snapshots {
                        streams[index].seen.append(snapshot.version)
                    }
                }
            }
        } didRunTasks: {
        } didSkipVersions: {
        }
        publishing.start { work }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // The Core publishes one version after the other, alone or as an array.
                var version: UInt64 = 0
                while version < UInt64(count) {
                    let last = min(version + UInt64.random(in: 1...5), UInt64(count))
                    publish(Self.commit((version + 1)...last), on: publishing)
                    version = last
                }
            }
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10 {
                        let asked = publishing.snapshot.version
                        publishing.perform { newest in
                            let stream = OpenStreams.Stream(begun: newest.version, asked: asked)
                            opened.streams.withLock { $0.append(stream) }
                        }
                        await Task.yield()
                    }
                }
            }
        }
        publishing.flush(seconds: 60)
        publishing.close()
        opened.streams.withLock { streams in
            #expect(streams.count == 80)
            for stream in streams {
                #expect(
                    stream.begun >= stream.asked,
                    "it has what was published when it was asked for"
                )
                // Versions may be left out if the thread is behind, but none comes twice or late.
                let all = [stream.begun] + stream.seen
                #expect(zip(all, all.dropFirst()).allSatisfy(<))
                #expect(all.last == UInt64(count))
            }
        }
    }

    /// A pace whose intervals the test ends.
    private final class Intervals: Sendable {
        let ends = Locked<[@Sendable () -> Void]>([])

        var pace: PublicationPace {
            PublicationPace { [self] end in ends.withLock { $0.append(end) } }
        }

        var count: Int { ends.withLock { $0.count } }

        func end() { ends.withLock { $0.isEmpty ? nil : $0.removeFirst() }?() }
    }

    @Test(arguments: threads)
    func `a pace joins the commits of an interval, and readers that come see the last event`(
        _ pool: ThreadPool?
    ) {
        let (readers, intervals) = (Readers(), Intervals())
        let publishing = readers.publishing(on: pool, pace: intervals.pace)
        publish(Self.commit(1...2), on: publishing)
        wait("the first commit is published") { readers.seen.withLock { $0 } == ["0>2"] }
        publish(Self.commit(3...3), on: publishing)
        publish(Self.commit(4...5), on: publishing)
        #expect(publishing.snapshot.version == 5, "requests see it at once")
        let opened = Latch()
        publishing.perform {
            readers.note("open at \($0.version)")
            opened.open()
        }
        #expect(opened.wait(seconds: 60))
        // A reader that has a later version from an answer waits for the publication of this
        // version.
        publishing.perform(after: 5) { readers.note("ahead at \($0.version)") }
        #expect(!publishing.performNow(with: readers.work, after: 5, where: { _ in true }) { _ in })
        // A commit that comes while there is no reader is joined with the held commit.
        readers.isRead.store(false, ordering: .sequentiallyConsistent)
        publish(Self.commit(6...6), on: publishing)
        readers.isRead.store(true, ordering: .sequentiallyConsistent)
        intervals.end()
        wait("the held commit is published") { readers.seen.withLock { $0.count } == 4 }
        #expect(
            readers.seen.withLock { $0 } == ["0>2", "open at 2", "2>6", "ahead at 6"]
        )
        // The last interval held nothing, so the next commit is published at once.
        #expect(intervals.count == 1)
        intervals.end()
        #expect(intervals.count == 0)
        publish(Self.commit(7...7), on: publishing)
        wait("a commit after a rest is published") { readers.seen.withLock { $0.count } == 5 }
        publish(Self.commit(8...8), on: publishing)
        publishing.flush(seconds: 60)
        #expect(readers.seen.withLock { $0.suffix(2) } == ["6>7", "7>8"])
        publishing.close()
    }

    @Test func `closing publishes the waiting commits, and nothing after them`() {
        let pool = ThreadPool(name: "test", threadsMax: 1)
        let readers = Readers()
        let publishing = readers.publishing(on: pool)
        let (begun, goesOn, ended) = (Latch(), Latch(), Latch())
        publishing.perform { _ in
            begun.open()
            _ = goesOn.wait()
        }
        #expect(begun.wait(seconds: 60))
        publish(Self.commit(1...1), on: publishing)
        publishing.perform { _ in ended.open() }
        publishing.close()
        publishing.perform { _ in readers.note("late") }
        publish(Self.commit(2...2), on: publishing)
        goesOn.open()
        #expect(ended.wait(seconds: 60))
        publishing.flush(seconds: 60)
        #expect(pool.close(seconds: 60))
        #expect(readers.seen.withLock { $0 } == ["0>1"])
    }

    @Test func `several publishers share one thread in turns, and none at rest`() {
        let pool = ThreadPool(name: "test", threadsMax: 1)
        let (begun, goesOn) = (Latch(), Latch())
        let blocking = Readers().publishing(on: pool)
        blocking.perform { _ in
            begun.open()
            _ = goesOn.wait()
        }
        #expect(begun.wait(seconds: 60))
        let readers = Readers()
        let each = (0..<2).map { number in
            let own = Readers()
            let publishing = own.publishing(on: pool)
            repeatTask(5, on: publishing) { readers.note("\(number)") }
            return publishing
        }
        goesOn.open()
        wait("ten turns are noted") { readers.seen.withLock { $0.count } >= 10 }
        #expect(readers.seen.withLock { $0 } == (0..<10).map { "\($0 % 2)" })
        wait("the pool has an idle thread") { pool.counts.idleThreads > 0 }
        #expect(pool.counts.threads == 1)
        for publishing in each { publishing.close() }
        #expect(pool.close(seconds: 60))
    }

    /// Performs a task several times, each time in a turn that lasts longer than it may.
    private func repeatTask(
        _ count: Int,
        on publishing: PublishingThread,
        _ task: @escaping @Sendable () -> Void
    ) {
        publishing.perform { _ in
            task()
            let began = SystemTime.steadyNanoseconds()
            while SystemTime.steadyNanoseconds() - began < ThreadPool.turnNanosecondsMax {}
            if count > 1 { repeatTask(count - 1, on: publishing, task) }
        }
    }

    @Test(arguments: threads)
    func `a commit during another thread's turn waits and follows`(_ pool: ThreadPool?) {
        let readers = Readers()
        let publishing = readers.publishing(on: pool)
        publish(Self.commit(1...1), on: publishing)
        publishing.flush(seconds: 60)
        // The thread rests soon.
        wait("the thread rests") {
            publishing.performNow(with: readers.work, where: { _ in true }) { newest in
                publish(Self.commit(2...2), on: publishing)
                publishing.perform { readers.note("open at \($0.version)") }
                let isTaken = publishing.performNow(with: readers.work, where: { _ in true }) { _ in
                }
                #expect(!isTaken, "one thread at a time stands in")
                readers.note("begin at \(newest.version)")
            }
        }
        publishing.flush(seconds: 60)
        #expect(readers.seen.withLock { $0 } == ["0>1", "begin at 1", "1>2", "open at 2"])
        publishing.close()
    }

    @Test func `work is done at once only if nothing waits and the thread rests`() {
        let pool = ThreadPool(name: "test", threadsMax: 1)
        let readers = Readers()
        let publishing = readers.publishing(on: pool)
        let (begun, goesOn) = (Latch(), Latch())
        publishing.perform { _ in
            begun.open()
            _ = goesOn.wait()
        }
        #expect(begun.wait(seconds: 60))
        func isDone() -> Bool {
            publishing.performNow(with: readers.work, where: { _ in true }) { _ in }
        }
        #expect(!isDone(), "the thread works")
        goesOn.open()
        wait("the thread rests") { isDone() }
        #expect(!publishing.performNow(with: readers.work, where: { _ in false }) { _ in })
        publishing.close()
        #expect(!isDone(), "it is closed")
        #expect(pool.close(seconds: 60))
    }

    @Test func `a publisher that is not closed ends with its last owner`() {
        let pool = ThreadPool(name: "test", threadsMax: 1)
        weak var weakly: PublishingThread?
        do {
            let publishing = Readers().publishing(on: pool)
            weakly = publishing
            publish(Self.commit(1...1), on: publishing)
            publishing.flush(seconds: 60)
        }
        wait("the publisher is released") { weakly == nil }
        #expect(pool.close(seconds: 60))
    }

    @Test func `waiting commits merge at the bound, in bytes and in number`() {
        var queue = PublishingQueue(published: Self.snapshot(0))
        let half = PublishingQueue.bytesMax / 2
        let viewed = Locked<[Int]>([])
        func views(_ number: Int) -> Commit.ViewPublisher {
            { _, _ in viewed.withLock { $0.append(number) } }
        }
        queue.add(Self.commit(1...1, bytes: half, views: views(1)))
        #expect(!queue.keepsUp)
        queue.add(Self.commit(2...2, bytes: half, views: views(2)))
        queue.addTask { _ in }
        queue.add(Self.commit(3...4, bytes: half))
        #expect(queue.commitCount == 1)
        #expect(queue.commitBytes == half)
        let items = queue.take().items
        guard case .commit(let commit)? = items.first, items.count == 2 else {
            Issue.record("the commits are not one")
            return
        }
        #expect(commit.previous.version == 0)
        #expect(commit.snapshots.map(\.version) == [4])
        commit.publishViews?(commit, nil)
        #expect(viewed.withLock { $0 } == [2], "views get the newest state that was handed over")
        for version in 5...(UInt64(PublishingQueue.commitsMax) + 10) {
            queue.add(Self.commit(version...version))
        }
        #expect(queue.commitCount <= PublishingQueue.commitsMax)
    }

    @Test func `while the thread lags, a commit merges with the last waiting commit`() {
        var queue = PublishingQueue(published: Self.snapshot(0))
        queue.add(Self.commit(1...1, for: audience("a")), joining: true)
        queue.add(Self.commit(2...3, for: audience("b"), bytes: 5), joining: true)
        #expect(queue.commitCount == 2, "each has readers that the other does not tell")
        queue.add(Self.commit(4...5, for: audience("b"), bytes: 7), joining: true)
        #expect(queue.commitCount == 2)
        queue.addTask { _ in }
        queue.add(Self.commit(6...6), joining: true)
        #expect(
            queue.commitCount == 3,
            "a stream that opens between them begins with what was there"
        )
        #expect(queue.commitBytes == 1 + 7 + 1)
        let versions = queue.take().items.map { item -> [UInt64] in
            if case .commit(let commit) = item { commit.snapshots.map(\.version) } else { [] }
        }
        #expect(versions == [[1], [5], [], [6]])
    }

    @Test func `commits for different readers merge only if all readers get both`() {
        let (a, b) = (audience("a"), audience("b"))
        let (all, forA, forB) = (
            Self.commit(1...1), Self.commit(2...2, for: a), Self.commit(3...3, for: b)
        )
        #expect(forA.isCovered(by: all))
        #expect(forA.isCovered(by: forA))
        #expect(!all.isCovered(by: forA))
        #expect(!forA.isCovered(by: forB))
        var joined = forA
        joined.join(forB)
        #expect(joined.audiences == [a, b].compactMap { $0 })
        joined.join(all)
        #expect(joined.audiences == nil)
    }

    private func publish(_ commit: Commit, on publishing: PublishingThread) {
        publishing.advance(to: commit.newest) { commit }
    }

    private func audience(_ name: String) -> Audience? {
        Audience(.authorized(to: [ExactText(name)]), emitter: nil)
    }
}

/// The first version of each stream, and its later versions.
private final class OpenStreams: Sendable {
    struct Stream: Sendable {
        let begun: UInt64
        /// The newest version at the time of the request.
        let asked: UInt64
        var seen: [UInt64] = []
    }

    let streams = Locked<[Stream]>([])
}
