package import StoreCore
import StoreJSON
package import StoreTelemetry
import StoreWire

/// The publisher of the Core's states. The publisher encodes each version once, and swaps the
/// newest snapshot. ``StateStreams`` makes the frames of streams from the same bytes. The Core's
/// thread makes every call.
package final class StatePublisher<State: Codable & Equatable & Sendable>: StateSink,
    @unchecked Sendable
{
    // Safety: only the Core's thread uses the variables and `writer`. All other members are
    // immutable.

    /// The bound on the bytes of the versions in one batch. At this bound, streams get only the
    /// last version of the batch.
    static var batchFramesBytesMax: Int { 1 << 20 }

    private let writer: any StateWriter<State>
    private let streams: StateStreams
    /// The streams of views; `nil` if the state has no views.
    private let views: ViewStreams<State>?
    private let log: any VersionFollower
    private let logger: Logger
    private var preparedSnapshots: [Snapshot] = []
    private var preparedBytes = 0
    /// The reason why a state that was reduced after the last commit can't be published.
    private var encodingRefusal: Refusal?

    /// Makes a publisher of the versions after the first version of `streams`. `writer` has encoded
    /// that first version.
    package init(
        _ writer: any StateWriter<State>,
        to streams: StateStreams,
        views: ViewStreams<State>? = nil,
        log: any VersionFollower,
        logger: Logger
    ) {
        self.writer = writer
        self.streams = streams
        self.views = views
        self.log = log
        self.logger = logger
    }

    package var takesEachVersion: Bool {
        preparedBytes < Self.batchFramesBytesMax && streams.takesEachVersion
    }

    package func didReduce(_ state: State, version: UInt64, changed: Bool) {
        encode(state, version)
    }

    package func prepare(_ state: State, through version: UInt64) throws {
        if encodingRefusal == nil, preparedSnapshots.last?.version != version {
            encode(state, version)
        }
        if let encodingRefusal { throw encodingRefusal }
    }

    package func publish(_ state: State, through version: UInt64, for audience: Audience?) {
        writer.keepEncoded()
        let before = streams.snapshot
        let newest = preparedSnapshots.last ?? before
        // If a view retains the state, the next change has to copy the state. So the views only get
        // the state if a watched view reads a changed module.
        let isViewed = views?.hasChangedSource(newest, since: before) == true
        streams.publishingThread.advance(to: newest) {
            Commit(
                preparedSnapshots,
                after: before,
                for: audience,
                isViewed ? viewPublisher(of: state) : nil
            )
        }
        log.notePublished(version)
        discardPrepared()
    }

    package func wakeStreams() { streams.wakeEventLoop() }

    package func didRollBack() {
        writer.discardEncoded()
        discardPrepared()
    }

    /// Returns the function that publishes the watched views of a state.
    private func viewPublisher(of state: State) -> Commit.ViewPublisher {
        { [views, publishing = streams.publishingThread] commit, filter in
            let (new, old) = (commit.newest, commit.previous)
            views?.distribute(state, new, after: old, for: filter, publishing.pauseIfBusy)
        }
    }

    private func encode(_ state: State, _ version: UInt64) {
        do {
            let tag = Tag(epoch: streams.epoch, version: version)
            let snapshot = try writer.snapshot(state, at: tag)
            preparedBytes += snapshot.ownBytes
            preparedSnapshots.append(snapshot)
        } catch {
            if let failure = error.underlyingError {
                logger.error(.stateUnencodable, "a state has no JSON form: \(failure)")
            }
            let reason = "The state that would result has no JSON form: \(error.message)."
            encodingRefusal = Refusal(reason: reason)
        }
    }

    private func discardPrepared() {
        preparedSnapshots = []
        preparedBytes = 0
        encodingRefusal = nil
    }
}
