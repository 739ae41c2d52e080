import Glibc
import StoreHTTPTransport
import StorePlatform
import StorePublishing

/// The threads that the stores of a process share. Their number does not grow with the number of
/// stores.
final class SharedThreads: Sendable {
    /// The maximum number of concurrent snapshots and reads of logs.
    private static let journalsThreadsMax = 2

    let cores: ThreadPool
    /// The threads, other than the Cores' threads, that take a journal's lock: for snapshots and
    /// reads of the log.
    let journals: ThreadPool
    /// The threads that encode answers for readers.
    let readers: ThreadPool
    let streams: StreamThread
    let places: StreamPlaces

    init(streamsMax: Int) throws(TransportError) {
        let processors = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
        cores = ThreadPool(name: "core", threadsMax: processors)
        journals = ThreadPool(name: "journals", threadsMax: Self.journalsThreadsMax)
        readers = ThreadPool(
            name: "readers",
            niceness: ReaderThread.niceness,
            threadsMax: processors
        )
        streams = try StreamThread(ReaderThread.start(name:_:))
        places = StreamPlaces(streamsMax: streamsMax)
    }

    /// Starts further threads if some are blocked. The watchdog calls this at each of its
    /// intervals.
    func relieve() {
        for pool in [cores, journals, readers] { pool.relieve() }
    }

    /// Ends the threads, when all stores have ended. Blocked threads are left behind.
    func stop(by deadline: Deadline) {
        streams.stop()
        for pool in [readers, journals, cores] { pool.close(seconds: deadline.left) }
    }
}
