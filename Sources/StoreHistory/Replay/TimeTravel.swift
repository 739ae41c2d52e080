import StoreCore
package import StoreJSON
import StorePlatform
package import StoreTelemetry
package import StoreWire
import Synchronization

/// An encoded version of the state, as readers get it. The code that uses this target chooses the
/// encoding.
package protocol EncodedState: Sendable {
    var version: UInt64 { get }
    var state: Bytes { get }

    /// Returns the bytes of the part at a pointer, as a viewer may read the part; `nil` if the
    /// viewer sees no part there. Equal values have equal bytes. The call may take long.
    func part(at pointer: JSONPointer, for viewer: Viewer) -> Bytes?
}

/// A function that encodes states one after the other. Each call encodes only the difference from
/// the state before.
package typealias StateEncoding<State, Version> = (State, Tag) throws(JSONError) -> Version

/// Past states, made again on demand by threads other than the Core's, with a small cache.
package final class TimeTravel<State: Codable & Sendable, Encoded: EncodedState>: PastStates {
    /// The longest time for making one state, in seconds.
    static var secondsMax: Double { 5 }
    /// The maximum number of states in the cache.
    static var cachedStatesMax: Int { 16 }
    static var cachedBytesMax: Int { 32 << 20 }

    private let replay: Replay<State>
    private let epoch: Epoch
    private let makeEncoding: @Sendable () -> StateEncoding<State, Encoded>
    private let logger: Logger
    /// The cached states, in the order in which they were made.
    private let cache = Locked<[Encoded]>([])

    package init(
        _ replay: Replay<State>,
        epoch: Epoch,
        makeEncoding: @escaping @Sendable () -> StateEncoding<State, Encoded>,
        logger: Logger
    ) {
        self.replay = replay
        self.epoch = epoch
        self.makeEncoding = makeEncoding
        self.logger = logger
    }

    package func blame(
        _ pointer: JSONPointer,
        at version: UInt64,
        for viewer: Viewer
    ) throws(Problem) -> Blame {
        let search = BlameSearch(
            replay: replay,
            epoch: epoch,
            encode: makeEncoding(),
            pointer: pointer,
            viewer: viewer,
            deadline: Deadline(seconds: Self.secondsMax)
        )
        do throws(ReplayError) {
            return try search.run(at: version)
        } catch {
            throw problem(error, version)
        }
    }

    package func state(at version: UInt64) throws(Problem) -> Encoded {
        if let journal = replay.journal as? any ForgettingJournal {
            let forgotten = journal.oldestRestorableVersion
            cache.withLock { $0.removeAll { $0.version < forgotten } }
        }
        if let known = cache.withLock({ $0.first { $0.version == version } }) { return known }
        let state: State
        do {
            state = try replay.state(at: version, until: Deadline(seconds: Self.secondsMax))
        } catch {
            throw problem(error, version)
        }
        do {
            let made = try makeEncoding()(state, Tag(epoch: epoch, version: version))
            cacheVersion(made)
            return made
        } catch {
            throw .notFound(pointer: "")
        }
    }

    private func cacheVersion(_ version: Encoded) {
        cache.withLock { cached in
            cached.append(version)
            var bytes = cached.reduce(0) { $0 + $1.state.count }
            while cached.count > Self.cachedStatesMax
                || (bytes > Self.cachedBytesMax && cached.count > 1)
            {
                bytes -= cached.removeFirst().state.count
            }
        }
    }

    private func problem(_ error: ReplayError, _ version: UInt64) -> Problem {
        switch error {
        case .gone(let oldest), .journal(.gone(let oldest)): return .gone(oldest: oldest)
        case .deadlinePassed(let reached):
            return .overloaded(
                "making version \(version) again takes too long; \(reached) was reached"
            )
        case .forgotten(let forgotten):
            let floor = replay.journal.newestSnapshotVersion ?? forgotten
            return .gone(oldest: max(floor, forgotten))
        case .unreadable, .diverged, .snapshotFormChanged, .givenStateFormChanged,
            .snapshotsForgotten:
            logger.error(.replayFailed, "\(RecoveryError(error, version: version))")
            return .versionUnreadable(version)
        case .journal:
            logger.error(.replayFailed, "\(RecoveryError(error, version: version))")
            return .overloaded(
                "version \(version) can't be made again; the server's own log has the reason"
            )
        }
    }
}

/// The port that makes past states from history.
package protocol PastStates<Encoded>: Sendable {
    associatedtype Encoded: EncodedState

    /// Returns the state of a version. Waits for the disk.
    ///
    /// - Throws: ``Problem`` with 410 if history does not reach back to the version, with 503 if
    ///   the replay takes too long.
    func state(at version: UInt64) throws(Problem) -> Encoded

    /// Finds the action that last changed a part of the state, among the actions up to a version.
    /// Compares the part as a viewer sees it. Waits for the disk, and throws as ``state(at:)``
    /// does.
    func blame(
        _ pointer: JSONPointer,
        at version: UInt64,
        for viewer: Viewer
    ) throws(Problem) -> Blame
}
