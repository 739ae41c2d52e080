package import StoreAdmission
import StoreAuthorization
package import StoreCore
import StoreHTTPTransport
package import StoreHistory
package import StoreJSON
package import StorePublishing
package import StoreWire

/// Reads a store: its newest and past states, its log, its views, and the changes of dry runs. All
/// requests read the store through this object.
///
/// Each function takes the ``Caller`` on whose behalf it reads. Any thread may use the reader.
package final class StateReader: Sendable {
    package let epoch: Epoch
    /// The epoch as text.
    let epochText: String
    /// The bytes of a tag before its version: a quote, the epoch and a colon.
    let tagPrefix: [UInt8]
    /// The beginning of an answer's JSON object: its member `epoch` and a comma.
    let answerPrefix: [UInt8]
    package let threads: ReadingThreads
    /// The views; `nil` if the state is not made of modules.
    package let views: (any PublishedViews)?
    /// The streams of the state. Only functions that take a ``Caller`` use these streams.
    let streams: StateStreams
    package let longPolls: LongPolls
    /// The cache of parsed documents of published states.
    package let documents: ParsedDocuments
    package let newestSnapshot: NewestSnapshot
    private let pastStates: any PastStates<Snapshot>
    private let log: ActionLog
    private let compareDryRun: DryRunComparison

    package init(
        of log: ActionLog,
        newest: NewestSnapshot,
        past: any PastStates<Snapshot>,
        documents: ParsedDocuments,
        views: (any PublishedViews)?,
        streams: StateStreams,
        longPolls: LongPolls,
        compareDryRun: @escaping DryRunComparison,
        threads: ReadingThreads
    ) {
        epoch = log.epoch
        epochText = log.epoch.description
        tagPrefix = Array("\"\(epochText):".utf8)
        answerPrefix = Array("{\"epoch\":\"\(epochText)\",".utf8)
        self.log = log
        self.newestSnapshot = newest
        self.pastStates = past
        self.documents = documents
        self.views = views
        self.streams = streams
        self.longPolls = longPolls
        self.compareDryRun = compareDryRun
        self.threads = threads
    }

    /// The newest published version. The number is the same for all callers.
    package var version: UInt64 { newestSnapshot.value.version }

    /// The names of the members of the state, in their order; empty for a state without modules.
    var moduleNames: [String] { newestSnapshot.value.moduleNames }

    var tag: Tag { newestSnapshot.value.tag }

    /// Returns true if members or slices may be hidden from a caller, by its role or by the readers
    /// of slices.
    func isFiltered(for caller: Caller) -> Bool {
        newestSnapshot.value.isFiltered(for: caller.viewer)
    }

    /// Returns true if a caller sees the whole state. No member and no slice may be hidden from the
    /// caller. In addition, the caller must see the slices of all sessions, or sessions must have
    /// no slices of their own.
    func showsEverything(to caller: Caller) -> Bool {
        !isFiltered(for: caller)
            && (caller.viewer.session == nil || !newestSnapshot.value.hasOwners)
    }

    /// Returns the users that own slices of the newest version, sorted by name, with the names of
    /// the modules. The list begins behind the name `after`. The call is slow if the store has many
    /// users.
    func users(
        after: String?,
        limit: Int
    ) -> (version: UInt64, users: [(principal: String, modules: [String])]) {
        let snapshot = newestSnapshot.value
        return (snapshot.version, snapshot.users(after: after, limit: limit))
    }

    /// Returns true if a user owns slices or timers of the newest version.
    func hasSlices(ofUser principal: String) -> Bool {
        newestSnapshot.value.hasSlices(ofUser: principal)
    }

    /// Returns true if a caller sees the module, the owner and the slice of an address, in the
    /// newest version.
    func shows(_ address: SliceAddress, to caller: Caller) -> Bool {
        caller.sees(owner: address.key.owner) && caller.viewer.sees(module: address.module)
            && isReadable(address, by: caller)
    }

    /// Returns true if a caller is among the readers of the slice at an address, in the newest
    /// version. Slices without a list of readers are readable.
    func isReadable(_ address: SliceAddress, by caller: Caller) -> Bool {
        newestSnapshot.value.isReadable(
            address.module,
            instance: address.instance,
            by: caller.viewer
        )
    }

    /// Returns the newest published state.
    package func state(for caller: Caller) -> VisibleState {
        VisibleState(newestSnapshot.value.visible(to: caller.viewer), documents, for: caller)
    }
}

extension Snapshot: EncodedState {
    package func part(at pointer: JSONPointer, for viewer: Viewer) -> Bytes? {
        ParsedDocuments().part(at: pointer, in: visible(to: viewer))
    }
}

extension StateReader {
    /// Returns the state of a past version. May block on the disk.
    ///
    /// - Throws: 410 if history no longer has the version, 503 if the read takes too long.
    package func state(at version: UInt64, for caller: Caller) throws(Problem) -> VisibleState {
        let snapshot = try pastStates.state(at: version).visible(to: caller.viewer)
        return VisibleState(snapshot, documents, for: caller)
    }

    /// Returns the action that last changed a part of the state, at or before a version. The result
    /// has no action if the caller may not read the action. May block on the disk.
    ///
    /// - Throws: the same problems as ``state(at:for:)``.
    func blame(
        _ pointer: JSONPointer,
        at version: UInt64,
        for caller: Caller
    ) throws(Problem) -> Blame {
        let blame = try pastStates.blame(pointer, at: version, for: caller.viewer)
        guard let record = blame.record, !log.visibility.isVisible(record, to: caller.viewer) else {
            return blame
        }
        return blame.hidingRecord
    }

    /// Returns a page of the log. May block on the disk.
    ///
    /// - Throws: 410 if the log no longer has the page, 503 if the page can't be read.
    package func page(_ query: LogQuery, for caller: Caller) throws(Problem) -> LogPage {
        try pageReader(query, for: caller).page()
    }

    /// Returns the action that a version's trace began with, and all actions that followed from
    /// this action, in order. Returns an empty array for the initial state. May block on the disk.
    ///
    /// - Throws: the same problems as ``page(_:for:)``.
    package func trace(
        of version: UInt64,
        actionsMax: UInt64,
        for caller: Caller
    ) throws(Problem) -> [Record] {
        if version == 0 { return [] }
        return try pageReader(LogQuery(limit: actionsMax), for: caller).trace(of: version)
    }

    private func pageReader(_ query: LogQuery, for caller: Caller) -> LogPageReader {
        LogPageReader(of: log, newest: version, query: query, for: caller.viewer)
    }

    /// Returns the changes of a dry run as a JSON Patch (RFC 6902). The call is slow for a large
    /// state.
    package func patch(of run: DryRun, for caller: Caller) throws(JSONError) -> Bytes {
        try compareDryRun(run, caller.viewer).get()
    }

    /// True if a caller sees all modules that a view may depend on.
    func showsAllModules(of view: PublishedView, to caller: Caller) -> Bool {
        caller.seesModuleAtIndex.map { view.readableMembers.allSatisfy($0) } ?? true
    }

    /// True if the caller may read a view that is declared to use modules hidden from the caller.
    func hasViewOfHiddenModules(for caller: Caller) -> Bool {
        guard let views = views?.views, let role = caller.identity?.role,
            let sees = caller.seesModuleAtIndex
        else { return false }
        return views.contains { role.sees(view: $0.name) && !$0.sourceModules.allSatisfy(sees) }
    }
}

// Waiting

extension StateReader {
    /// Calls `answer` once, with the first state in which the caller's part has changed after
    /// `version`. If the wait expires or the access ends, calls `answer` with `nil`. Any thread may
    /// call this function.
    ///
    /// - Returns: the wait; `nil` if `answer` was called at once, because the part has already
    ///   changed.
    func answerWhenChanged(
        after version: UInt64,
        for caller: Caller,
        with access: AccessLease?,
        _ answer: @escaping @Sendable (VisibleState?) -> Void
    ) -> PendingLongPoll? {
        let isAllowed = access.map { access in { @Sendable in access.isValid } }
        let waiter = LongPolls.Waiter(afterVersion: version, for: caller.viewer, while: isAllowed) {
            [documents] in
            answer($0.map { VisibleState($0.visible(to: caller.viewer), documents, for: caller) })
        }
        return longPolls.add(waiter) { newestSnapshot.value }.map {
            PendingLongPoll(id: $0, longPolls: longPolls)
        }
    }

    /// Ends the waits of a session that has ended. The waiting requests get no newer version. Any
    /// thread may call this function.
    func endWaits(of session: String) { longPolls.expireAll(of: session) }

    /// Ends the waits whose access has ended. The waiting requests get no newer version. Any thread
    /// may call this function.
    package func endForbiddenWaits() { longPolls.expireForbidden() }
}

/// A request that waits for a newer version.
struct PendingLongPoll: Sendable {
    fileprivate let id: UInt64
    fileprivate let longPolls: LongPolls

    /// Ends the wait without a newer version, unless the wait has ended already.
    func expire() { longPolls.expire(id) }

    /// Cancels `timer` when the wait ends, or at once if the wait has ended already.
    func cancelTimerAtEnd(_ timer: LoopTimer) {
        longPolls.setTimerCancellation(timer.cancel, for: id)
    }
}
