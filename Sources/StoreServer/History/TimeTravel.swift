import Platform
import StoreCore
import Synchronization
import Wire

/// The state as it was: made again on demand, away from the Core, with a small cache.
final class TimeTravel<State: Codable & Sendable>: Sendable {
    /// How long making one state again may take, in seconds.
    static var secondsMax: Double { 5 }
    /// What the cache holds at most.
    static var cachedMax: Int { 16 }
    static var cachedBytesMax: Int { 32 << 20 }

    let replay: Replay<State>
    private let epoch: Epoch
    private let encoder: JSONEncoder
    private let work: BackgroundWork
    /// The states that were asked for last, the newest at the end.
    private let cache = Locked<[Snapshot]>([])

    init(_ replay: Replay<State>, epoch: Epoch, encoder: JSONEncoder, work: BackgroundWork) {
        self.replay = replay
        self.epoch = epoch
        self.encoder = encoder
        self.work = work
    }

    /// Makes the state of a version that is past, and hands it to `answer` on another thread.
    ///
    /// - Returns: `false` where too many wait already; then `answer` is not called.
    func snapshot(
        at version: UInt64,
        _ answer: @escaping @Sendable (Result<Snapshot, Problem>) -> Void
    ) -> Bool {
        work.submit { [self] in
            answer(Result { () throws(Problem) in try snapshot(at: version) })
        }
    }

    /// Finds which action last changed a part of the state, and hands that to `answer` on another
    /// thread. Answers as ``snapshot(at:_:)`` does.
    func blame(
        _ pointer: JSONPointer,
        at version: UInt64,
        _ answer: @escaping @Sendable (Result<Blame, Problem>) -> Void
    ) -> Bool {
        work.submit { [self] in
            let search = BlameSearch(
                replay: replay,
                encoder: encoder,
                pointer: pointer,
                deadline: Deadline(seconds: Self.secondsMax)
            )
            answer(
                Result { () throws(Problem) in
                    do throws(ReplayError) {
                        return try search.run(at: version)
                    } catch {
                        throw Problem(error, version: version)
                    }
                }
            )
        }
    }

    private func snapshot(at version: UInt64) throws(Problem) -> Snapshot {
        if let known = cache.withLock({ $0.first { $0.version == version } }) { return known }
        let state: State
        do {
            state = try replay.state(at: version, until: Deadline(seconds: Self.secondsMax))
        } catch {
            throw Problem(error, version: version)
        }
        do {
            let made = Snapshot(
                tag: Tag(epoch: epoch, version: version),
                state: try encoder.encodeShared(state)
            )
            keep(made)
            return made
        } catch {
            throw .notFound(pointer: "")
        }
    }

    private func keep(_ snapshot: Snapshot) {
        cache.withLock { cached in
            cached.append(snapshot)
            var bytes = cached.reduce(0) { $0 + $1.state.count }
            while cached.count > Self.cachedMax || (bytes > Self.cachedBytesMax && cached.count > 1)
            {
                bytes -= cached.removeFirst().state.count
            }
        }
    }
}

extension Problem {
    /// What a client is answered where a state can't be made again.
    init(_ error: ReplayError, version: UInt64) {
        switch error {
        case .gone(let oldest):
            self = .gone(oldest: oldest)
        case .journal(.gone(let oldest)):
            self = .gone(oldest: oldest)
        case .tooLong(let reached):
            self = .overloaded(
                "making version \(version) again takes too long; \(reached) was reached"
            )
        case .unreadable, .diverged, .foreignSnapshot, .foreignBeginning, .journal:
            Log.error("\(RecoveryError(error, version: version))")
            self = .overloaded("version \(version) can't be made again; the log says why")
        }
    }
}
