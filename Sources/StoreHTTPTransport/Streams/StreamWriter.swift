import CStoreHTTPD
import Glibc
package import StoreJSON
import StorePlatform
package import StoreWire
import Synchronization

/// A writer that sends frames to the readers of streams, on a thread that owns their sockets.
///
/// Publishing never waits, because it only puts a version into a bounded inbox. The writer makes a
/// chunk of each frame once, for all readers. Only a reader that is behind has memory of its own.
package final class StreamWriter: StreamAdopter, StreamPublisher {
    package let counters = StreamCounters()
    let limits: StreamLimits
    let frames: StreamFrames
    private let places: StreamPlaces?
    private let mail = Locked(StreamMail())
    private let logSource = Locked<(any LogSource)?>(nil)
    /// The number of open streams and reserved places of each topic.
    private let readerCounts = Locked<[TopicID: Int]>([:])
    private let wakeDescriptor: CInt
    private let endLatch = Latch()
    private let cutOffCount = Atomic(0)
    let sheddingFlag = Atomic(false)

    /// Makes a writer that begins with ``start(_:)`` or ``start(on:)``. `limits` bounds the streams
    /// of this writer. `places` bounds the streams of all writers that share these places.
    ///
    /// - Throws: ``TransportError`` if the system has no more descriptors.
    package init(
        limits: StreamLimits,
        frames: StreamFrames,
        places: StreamPlaces? = nil
    ) throws(TransportError) {
        self.limits = limits
        self.frames = frames
        self.places = places
        wakeDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeDescriptor >= 0 else {
            throw TransportError("can't make a stream writer: \(SystemError.text)")
        }
    }

    deinit { close(wakeDescriptor) }

    package func start(
        _ startThread: (String, @escaping @Sendable () -> Void) -> Void
    ) throws(TransportError) {
        let loop = try makeLoop()
        startThread("streams") { loop.run() }
    }

    /// Starts the writer on a thread that writers share, in place of ``start(_:)``. Any thread may
    /// call this function.
    ///
    /// - Throws: ``TransportError`` if the thread is stopped, or the system refuses a descriptor.
    package func start(on thread: StreamThread) throws(TransportError) {
        try thread.add(try makeLoop())
    }

    private func makeLoop() throws(TransportError) -> StreamLoop {
        let epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard epoll >= 0 else {
            throw TransportError("can't make a stream writer: \(SystemError.text)")
        }
        return StreamLoop(writer: self, epoll: epoll, wakeDescriptor: wakeDescriptor)
    }

    /// Sets the source of ``TopicID/actions``. Must be called before ``start(_:)``.
    package func setLogSource(_ log: any LogSource) { logSource.withLock { $0 = log } }

    var log: (any LogSource)? { logSource.withLock { $0 } }

    /// Wakes the readers of the log that wait for the source. Any thread may call this function,
    /// which never waits.
    package func wakeLogReaders() { post { $0.hasMoreLogRecords = true } }

    /// The number of open streams and reserved places.
    package var openStreamCount: Int { counters.openOrReservedCount.load(ordering: .relaxed) }

    /// The time in seconds that the writer's loop has worked so far.
    package var workSeconds: Double {
        Double(counters.workNanoseconds.load(ordering: .relaxed)) / 1e9
    }

    /// True if few versions wait in the inbox. Each published version can then get a frame of its
    /// own.
    package var keepsUp: Bool { mail.withLock { $0.inbox.isLessThanHalfFull } }

    /// Reserves a place for a stream. Each stream takes a place, and the number of places is the
    /// bound on streams. Returns `false` if all places are taken. Any thread may call this
    /// function.
    package func reservePlace(_ topic: TopicID) -> Bool {
        let before = counters.openOrReservedCount.add(1, ordering: .relaxed).oldValue
        guard before < limits.streamsMax, places?.take() != false else {
            counters.openOrReservedCount.subtract(1, ordering: .relaxed)
            counters.refusedForPlaces.add(1, ordering: .relaxed)
            return false
        }
        counters.noteReserved(StreamKind(topic.subject))
        readerCounts.withLock { $0[topic, default: 0] += 1 }
        return true
    }

    /// Returns true if the topic has readers, or a place is reserved for a reader. Any thread may
    /// call this function.
    package func hasReaders(_ topic: TopicID) -> Bool { readerCounts.withLock { $0[topic] != nil } }

    /// Gives back a reserved place, or the place of a stream that has ended.
    package func giveBackPlace(_ topic: TopicID) {
        counters.openOrReservedCount.subtract(1, ordering: .relaxed)
        counters.noteFreed(StreamKind(topic.subject))
        places?.giveBack()
        readerCounts.withLock { readers in
            let left = (readers[topic] ?? 1) - 1
            readers[topic] = left > 0 ? left : nil
        }
    }

    package func adopt(
        descriptor: CInt,
        _ beginning: StreamBeginning,
        onEnd: (@Sendable () -> Void)?
    ) {
        let reader = JoiningReader(descriptor: descriptor, beginning: beginning, onEnd: onEnd)
        if !postUnlessEnded({ $0.inbox.addReader(reader) }) { rejectLateReader(reader) }
    }

    /// Sends a version of a topic to the readers that pass `filter`, or to all readers if `filter`
    /// is `nil`. A frame in `version` is not a chunk yet: the writer makes the chunk. In patch
    /// mode, the writer's thread makes the frames. Any thread may call this function, which never
    /// waits.
    package func publish(
        _ version: TopicVersion,
        to topic: TopicID,
        for filter: ReaderFilter? = nil
    ) {
        post { mail in
            let skipped = mail.inbox.addVersion(version, to: topic, for: filter)
            if skipped > 0 { counters.framesConflated.add(UInt64(skipped), ordering: .relaxed) }
        }
    }

    package func sendUnversioned(_ frame: Bytes, to topic: TopicID) -> Bool {
        var isTaken = false
        post { mail in isTaken = !mail.isEnded && mail.inbox.addCommand(frame, to: topic) }
        return isTaken
    }

    /// Sends `bye` to all readers, and waits until all readers took `bye` or the time is over. Then
    /// ends the loop, and also the loop's thread if no other writer shares the thread. Returns
    /// `true` if all readers took `bye`.
    ///
    /// Must not be called on the thread that runs the loop.
    package func stop(reason: CloseReason, seconds: Double) -> Bool {
        post { $0.stop = (reason, seconds) }
        _ = endLatch.wait()
        return cutOffCount.load(ordering: .relaxed) == 0
    }

    /// Leaves a request for the loop. If the loop has ended, the request gets an empty answer.
    func submit(_ request: StreamRequest) {
        if !postUnlessEnded({ $0.requests.append(request) }) { request.answerEmpty() }
    }

    /// Notes that the loop has ended. Waiting and later requests get an empty answer, and readers
    /// that join are refused.
    func didEnd(cutOff count: Int) {
        cutOffCount.store(count, ordering: .relaxed)
        mail.withLock { $0.isEnded = true }
        refuse(takeMail())
        endLatch.open()
    }

    /// Refuses the requests and the joining readers in the mail of a loop that has ended. The
    /// events before the index `first` are done already.
    func refuse(_ late: StreamMail, from first: Int = 0) {
        for request in late.requests { request.answerEmpty() }
        for case .join(let reader) in late.inbox.events[first...] { rejectLateReader(reader) }
    }

    /// Sends the head and the last frame to a reader that joins too late, and closes the reader's
    /// socket.
    private func rejectLateReader(_ reader: JoiningReader) {
        let beginning = reader.beginning
        let head = Chunk.encodeFirst(beginning.head.responseHead, Bytes([]))
        for bytes in [head, Chunk.encodeLast(frames.makeBye(.shutdown))] {
            bytes.withUnsafeBytes { bytes in
                let flags = CInt(MSG_NOSIGNAL | MSG_DONTWAIT)
                _ = send(reader.descriptor, bytes.baseAddress, bytes.count, flags)
            }
        }
        shutdown(reader.descriptor, CInt(SHUT_RDWR))
        close(reader.descriptor)
        counters.noteEnded(.shutdown)
        giveBackPlace(beginning.topic)
        reader.onEnd?()
    }

    private func post(_ change: (inout StreamMail) -> Void) {
        let wakes = mail.withLock { mail -> Bool in
            change(&mail)
            defer { mail.isWakePending = true }
            return !mail.isWakePending
        }
        guard wakes else { return }
        var one: UInt64 = 1
        write(wakeDescriptor, &one, 8)
    }

    /// Changes the mail and returns `true`. If the loop has ended, changes nothing and returns
    /// `false`.
    private func postUnlessEnded(_ change: (inout StreamMail) -> Void) -> Bool {
        var isTaken = false
        post { mail in
            isTaken = !mail.isEnded
            if isTaken { change(&mail) }
        }
        return isTaken
    }

    func takeMail() -> StreamMail {
        mail.withLock { exchange(&$0, with: StreamMail(isEnded: $0.isEnded)) }
    }
}

/// A bound on the streams of several writers together. Any thread may use it.
package final class StreamPlaces: Sendable {
    package let streamsMax: Int
    private let takenCount = Atomic(0)

    package init(streamsMax: Int) { self.streamsMax = streamsMax }

    package var takenPlaceCount: Int { takenCount.load(ordering: .relaxed) }

    func take() -> Bool {
        guard takenCount.add(1, ordering: .relaxed).oldValue < streamsMax else {
            giveBack()
            return false
        }
        return true
    }

    func giveBack() { takenCount.subtract(1, ordering: .relaxed) }
}
