import StoreActionCatalog
import StoreCore
import StoreHistory
import StoreTelemetry

/// The work of a server after a commit: snapshots, lines in the log, and warnings.
final class StoreFollower<State: Codable & Equatable & Sendable>: CommitFollower {
    private let keeper: SnapshotKeeper
    private let lines: ActionLines<State>?
    private let logger: Logger

    init(_ keeper: SnapshotKeeper, _ lines: ActionLines<State>?, _ logger: Logger) {
        self.keeper = keeper
        self.lines = lines
        self.logger = logger
    }

    var takesActions: Bool { lines != nil }

    func appended(through version: UInt64, bytes: Int) {
        keeper.appended(through: version, bytes: bytes)
    }

    func applied(_ actions: [AppliedAction]) { lines?.applied(actions) }

    /// Logs a dropped action, unless its session has ended. A presenter that cleans up after a
    /// session dispatches to slices that are gone already.
    func dropped(_ action: DroppedAction) {
        let refusal = action.reason as? Refusal
        if refusal?.isOfEndedSession == true { return }
        let reason = refusal?.reason ?? "\(action.reason)"
        let cause = action.source.cause.map { " after version \($0)" } ?? ""
        let line =
            "\(action.type), which \(action.source.place) dispatched\(cause), "
            + "was not applied: \(reason)"
        // A foreign action is a mistake of the program; other refusals may be caused by the input.
        let level = action.reason is ForeignAction ? LogLevel.error : .warning
        var fields = [LogField("type", .name(action.type))]
        if let cause = action.source.cause { fields.append(LogField("cause", .count(cause))) }
        logger.write(level, .actionDropped, line, fields)
    }

    func refused(_ action: RefusedAction) {
        logger.note(action.refusal, of: action.type, in: action.requestID)
    }

    func reducerFailed(_ failure: ReducerFailure) {
        let request = failure.requestID.map { " (request \($0))" } ?? ""
        var fields = [LogField("type", .name(failure.type))]
        if let id = failure.requestID { fields.append(LogField("request", .name(id))) }
        logger.write(
            .error,
            .reducerFailed,
            "the reducer failed on \(failure.type)\(request): \(failure.error)",
            fields
        )
    }

    func unreadable(_ error: JournalError) {
        logger.warning(
            .journalUnreadable,
            "can't read the records of other servers, will retry: \(error)"
        )
    }
}
