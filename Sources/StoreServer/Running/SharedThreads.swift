import Glibc
import StoreHTTPTransport
import StorePlatform
import StorePublishing

/// The threads that the stores of a process share. The number of threads does not grow with the
/// number of stores.
final class SharedThreads: Sendable {
    /// The maximum number of threads that use the journals for snapshots and for reads of the log.
    private static let journalsThreadsMax = 2

    let coreThreads: ThreadPool
    /// The threads that use the journals for snapshots and for reads of the log.
    let journalThreads: ThreadPool
    /// The threads that encode answers for readers.
    let readerThreads: ThreadPool
    let streamThread: StreamThread
    let streamPlaces: StreamPlaces

    init(streamsMax: Int) throws(TransportError) {
        let processors = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
        coreThreads = ThreadPool(name: "core", threadsMax: processors)
        journalThreads = ThreadPool(name: "journals", threadsMax: Self.journalsThreadsMax)
        readerThreads = ThreadPool(
            name: "readers",
            niceness: ReaderThread.niceness,
            threadsMax: processors
        )
        streamThread = try StreamThread(ReaderThread.start(name:_:))
        streamPlaces = StreamPlaces(streamsMax: streamsMax)
    }

    /// Starts further threads if some threads are blocked. The watchdog calls this function at each
    /// of its intervals.
    func startMissingThreads() {
        for pool in [coreThreads, journalThreads, readerThreads] { pool.beginMissingThread() }
    }

    /// Ends the threads. Call this function when all stores have ended. After the deadline, the
    /// function no longer waits for blocked threads.
    func stop(by deadline: Deadline) {
        streamThread.stop()
        for pool in [readerThreads, journalThreads, coreThreads] {
            pool.close(seconds: deadline.secondsLeft)
        }
    }
}
