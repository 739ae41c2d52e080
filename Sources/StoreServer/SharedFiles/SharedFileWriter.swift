import StoreActionCatalog
import StoreJSON
import StorePlatform
import StoreTelemetry
import Synchronization

/// Writes a module's shared value to its file whenever the value changes, on a worker thread. If
/// several values arrive during a write, only the newest of them is written next.
final class SharedFileWriter: Sendable {
    private struct NewestValue: WorkQueue {
        var value: (any Encodable & Sendable)?
        var isEmpty: Bool { value == nil }

        mutating func take() -> (any Encodable & Sendable)? {
            defer { value = nil }
            return value
        }
    }

    let path: String
    private let module: String
    private let logger: Logger
    private let worker: Worker<NewestValue>
    private let isFailing = Atomic(false)

    /// Makes a writer for the file at `path`. The log names the value by its module, `module`.
    init(
        _ path: String,
        of module: String,
        on threads: WorkerThreads,
        _ encoder: JSONEncoder,
        _ logger: Logger
    ) {
        self.path = path
        self.module = module
        self.logger = logger
        worker = Worker("shared file", on: threads, queue: NewestValue())
        worker.start(.withFirstWork) { [weak self] worker in
            while let value = worker.next() {
                if let value { self?.write(value, encoder) }
            }
        }
    }

    /// Queues a value, which replaces a value that still waits. Any thread may call this function,
    /// because it never waits for the disk.
    func enqueue(_ value: any Encodable & Sendable) { worker.post { $0.value = value } }

    /// Writes the waiting value, and ends the worker. Gives up after `seconds`.
    func close(seconds: Double) {
        if !worker.close(seconds: seconds) {
            logger.error(
                .sharedFailed,
                "'\(path)' may lack the last shared value of '\(module)': the server stopped "
                    + "before it was written"
            )
        }
    }

    /// Writes the value. After a failure, the next change of the value writes again. The log gets a
    /// line for the first failure, and no line for further failures until a write succeeds.
    private func write(_ value: any Encodable & Sendable, _ encoder: JSONEncoder) {
        let bytes: [UInt8]
        do {
            bytes = try encoder.encode(AnyEncodable(value)) + [UInt8(ascii: "\n")]
        } catch {
            return logFailure("it has no JSON form: \(error)")
        }
        do throws(AtomicFileError) { try AtomicFile.write(bytes, to: path) } catch {
            return logFailure(error.description)
        }
        if isFailing.exchange(false, ordering: .relaxed) {
            logger.info(.sharedKept, "the shared value of '\(module)' is kept in '\(path)' again")
        }
    }

    private func logFailure(_ reason: String) {
        guard !isFailing.exchange(true, ordering: .relaxed) else { return }
        logger.error(
            .sharedFailed,
            "the shared value of '\(module)' can't be kept in '\(path)', which has an older one: "
                + "\(reason); the next change tries again"
        )
    }
}
