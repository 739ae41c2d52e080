import Glibc
import StoreHTTPTransport
import StorePlatform
import StorePublishing

/// The threads that the stores of a process share. The number of threads does not grow with the
/// number of stores.
final class SharedThreads: Sendable {
    /// The maximum number of threads that use the journals for snapshots and for reads of the log.
    private static let journalsThreadsMax = 2

    let cores: ThreadPool
    /// The threads that use the journals for snapshots and for reads of the log.
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

    /// Starts further threads if some threads are blocked. The watchdog calls this function at each
    /// of its intervals.
    func relieve() {
        for pool in [cores, journals, readers] { pool.relieve() }
    }

    /// Ends the threads. Called when all stores have ended. Does not wait longer than the deadline
    /// for blocked threads.
    func stop(by deadline: Deadline) {
        streams.stop()
        for pool in [readers, journals, cores] { pool.close(seconds: deadline.left) }
    }
}
