import StoreAuthorization
package import StoreCore
import StoreEventStream
package import StoreHistory
package import StorePublishing
package import StoreWire

/// What a store shows: the one way to its state, now and as it was, its log, its views, and what
/// dry runs would change.
///
/// Each question has the ``Caller`` on whose behalf it is asked. Any thread may ask.
package final class StateReader: Sendable {
    package let epoch: Epoch
    /// The epoch as text, which every answer has.
    let epochText: String
    package let threads: ReadingThreads
    /// The projections of the state, where it is made of modules.
    package let views: (any PublishedViews)?
    /// What streams are opened by, on behalf of a caller alone.
    let streams: any StreamBeginnings
    package let waiters: LongPolls
    /// What was parsed of published states.
    package let documents: ParsedDocuments
    package let newest: NewestSnapshot
    private let past: any PastStates
    private let log: ActionLog
    private let comparison: DryRunComparison

    package init(
        of log: ActionLog,
        newest: NewestSnapshot,
        past: any PastStates,
        documents: ParsedDocuments,
        views: (any PublishedViews)?,
        streams: any StreamBeginnings,
        waiters: LongPolls,
        comparison: @escaping DryRunComparison,
        threads: ReadingThreads
    ) {
        epoch = log.epoch
        epochText = log.epoch.description
        self.log = log
        self.newest = newest
        self.past = past
        self.documents = documents
        self.views = views
        self.streams = streams
        self.waiters = waiters
        self.comparison = comparison
        self.threads = threads
    }

    /// The newest published version. It is one for all, so no caller is asked for.
    package var version: UInt64 { newest.value.version }

    /// The names of the members of the state, in their order; none for a state of one piece.
    var moduleNames: [String] { newest.value.moduleNames }

    /// The tag of the newest published version.
    var tag: Tag { newest.value.tag }

    /// Whether a caller sees all there is: its role sees all members, and no session has anything
    /// of its own, or it sees what all sessions have.
    func seesEverything(_ caller: Caller) -> Bool {
        caller.viewer.sight == nil
            && (caller.viewer.session == nil || !newest.value.hasSessions)
    }

    /// The newest published state.
    package func state(for caller: Caller) -> VisibleState {
        VisibleState(newest.value.visible(to: caller.viewer), documents, for: caller)
    }
}

extension StateReader {
    /// The newest published state as a session sees it; `nil` for all who have none.
    package func state(of session: String?) -> VisibleState {
        state(for: Caller(session: session))
    }

    /// The state of a version that is past. May take as long as a disk does.
    ///
    /// - Throws: 410 where history does not reach back that far, 503 where it takes too long.
    package func state(at version: UInt64, for caller: Caller) throws(Problem) -> VisibleState {
        let snapshot = try past.snapshot(at: version).visible(to: caller.viewer)
        return VisibleState(snapshot, documents, for: caller)
    }

    /// Which action up to a version last changed a part of the state; none where that belongs to
    /// another session. May take as long as a disk does.
    ///
    /// - Throws: as ``state(at:for:)`` does.
    func blame(
        _ pointer: JSONPointer,
        at version: UInt64,
        for caller: Caller
    ) throws(Problem) -> Blame {
        let blame = try past.blame(pointer, at: version, for: caller.viewer)
        guard let record = blame.record, !log.owners.isVisible(record, to: caller.viewer) else {
            return blame
        }
        return blame.withoutRecord
    }

    /// A page of the log. May take as long as a disk does.
    ///
    /// - Throws: 410 where the log does not reach back that far, 503 where it can't be read.
    package func page(_ query: LogQuery, for caller: Caller) throws(Problem) -> LogPage {
        try pages(query, for: caller).page()
    }

    /// The action that a version began with, and all that came of it, in order; none for the
    /// initial state. May take as long as a disk does.
    ///
    /// - Throws: as ``page(_:for:)`` does.
    package func trace(
        of version: UInt64,
        actionsMax: UInt64,
        for caller: Caller
    ) throws(Problem) -> [Record] {
        if version == 0 { return [] }
        return try pages(LogQuery(limit: actionsMax), for: caller).family(of: version)
    }

    private func pages(_ query: LogQuery, for caller: Caller) -> LogPageReader {
        LogPageReader(of: log, newest: version, query: query, for: caller.viewer)
    }

    /// What a dry run would change, as a JSON Patch (RFC 6902). Takes as long as both states are
    /// large.
    package func patch(of run: DryRun, for caller: Caller) throws(JSONError) -> Bytes {
        try comparison(run, caller.viewer).get()
    }

    /// Whether a caller sees all that a view may be made from.
    func sees(_ view: PublishedView, for caller: Caller) -> Bool {
        caller.moduleSight.map { view.reads.allSatisfy($0) } ?? true
    }

    /// Whether views show a caller something of modules that it does not see, as they say.
    func showsUnseen(to caller: Caller) -> Bool {
        guard let role = caller.identity?.role, let sees = caller.moduleSight else {
            return false
        }
        return views?.views.contains { role.sees(view: $0.name) && !$0.names.allSatisfy(sees) }
            == true
    }
}
