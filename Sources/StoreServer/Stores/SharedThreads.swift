import Glibc
import StoreHTTPTransport
import StorePlatform
import StorePublishing
import Synchronization

/// The threads that the stores of a process share, so that there are no more of them for more
/// stores.
final class SharedThreads: Sendable {
    /// How many snapshots and reads of logs go on at a time.
    private static let journalsThreadsMax = 2

    /// The Cores'.
    let cores: ThreadPool
    /// What takes a journal's lock besides the Core: snapshots and reads of the log.
    let journals: ThreadPool
    /// What is made for those who read.
    let readers: ThreadPool
    /// Where frames are sent.
    let streams: StreamThread
    /// The places for streams of all stores.
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

    /// Begins another thread where one is held. Called every so often.
    func relieve() {
        cores.relieve()
        journals.relieve()
        readers.relieve()
    }

    /// Ends the threads, when all stores have ended; those that are held are left behind.
    func stop(by deadline: Deadline) {
        streams.stop()
        for pool in [readers, journals, cores] { pool.close(seconds: deadline.left) }
    }
}
