import StoreActionCatalog
import StoreCore
import StoreHistory
import StoreTelemetry
import StoreWire

/// The follower of a Core's commits. The follower makes snapshots, and logs actions, refusals and
/// errors.
final class StoreFollower<State: Codable & Equatable & Sendable>: CommitFollower {
    private let keeper: SnapshotKeeper
    private let actionLineWriter: ActionLineWriter<State>?
    private let logger: Logger

    init(_ keeper: SnapshotKeeper, _ lines: ActionLineWriter<State>?, _ logger: Logger) {
        self.keeper = keeper
        self.actionLineWriter = lines
        self.logger = logger
    }

    var takesAppliedActions: Bool { actionLineWriter != nil }

    func didAppend(through version: UInt64, byteCount: Int) {
        keeper.countAppended(through: version, bytes: byteCount)
    }

    func didApply(_ actions: [AppliedAction]) { actionLineWriter?.log(actions) }

    /// Logs a dropped action, unless its session has ended. A presenter that cleans up after a
    /// session may dispatch actions to slices that no longer exist.
    func didDrop(_ action: DroppedAction) {
        let refusal = action.reason as? Refusal
        if refusal?.isOfEndedSession == true { return }
        let reason = refusal?.reason ?? "\(action.reason)"
        let cause = action.source.cause.map { " after version \($0)" } ?? ""
        let line =
            "\(action.type), which \(action.source.sourceLocation) dispatched\(cause), "
            + "was not applied: \(reason)"
        let isForeign = (action.reason as? DispatchError)?.code == .foreignAction
        // If a module dispatches an action of another module, the program has a mistake. In other
        // cases, input from a client may be the cause, so the level is a warning.
        let level = isForeign ? LogLevel.error : .warning
        var fields = [LogField("type", .name(action.type))]
        if let cause = action.source.cause { fields.append(LogField("cause", .count(cause))) }
        logger.write(level, .actionDropped, line, fields)
    }

    func didRefuse(_ action: RefusedAction) {
        logger.note(action.refusal, of: action.type, in: action.requestID)
    }

    func reducerDidFail(_ failure: ReducerFailure) {
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

    func journalDidBecomeUnreadable(_ error: JournalError) {
        logger.warning(
            .journalUnreadable,
            "can't read the records of other servers, will retry: \(error)"
        )
    }
}

/// The writer of the lines of `--log-actions`: a line for each applied action, without its payload.
///
/// ```text
/// store-server: applied version=42 changed=true ms=0.013 module=login type=login/succeeded …
/// ```
struct ActionLineWriter<State>: Sendable {
    private let registry: ActionRegistry<State>
    private let excludedNames: Set<ExactText>
    private let logger: Logger

    /// Makes the writer; `nil` if the configuration does not ask for these lines. Throws if an
    /// excluded wire name belongs to no action.
    init?(
        _ configuration: ServerConfiguration,
        _ registry: ActionRegistry<State>,
        _ logger: Logger
    ) throws(ConfigurationError) {
        for name in configuration.log.excludedActions
        where registry[name] == nil && ClientRequest(recorded: name) == nil {
            let names = registry.entries.map(\.name)
            guard !names.contains(exactly: name) else { continue }
            let hint = EditDistance.nearest(to: name, in: names).map { "; did you mean '\($0)'?" }
            throw ConfigurationError(
                "--log-exclude: no action has the wire name '\(name)'" + (hint ?? "")
            )
        }
        guard configuration.log.logsActions else { return nil }
        self.registry = registry
        self.logger = logger
        excludedNames = Set(configuration.log.excludedActions.map { ExactText($0) })
    }

    /// Passes the actions of a commit to the log. The Core's thread calls this function; the log's
    /// own thread makes the lines.
    func log(_ actions: [AppliedAction]) {
        let shown = excludedNames.isEmpty ? actions : actions.filter { !isExcluded($0.type) }
        guard !shown.isEmpty else { return }
        logger.writeDetails(shown.count, .actionApplied) { count in
            shown.prefix(count).map { ("applied", fields(of: $0)) }
        }
    }

    /// Returns true if the configuration excludes the action: by its wire name, or by the name
    /// without the instance.
    private func isExcluded(_ type: String) -> Bool {
        excludedNames.contains(ExactText(type))
            || registry[type].map { excludedNames.contains(ExactText($0.nameWithoutInstance)) }
                == true
    }

    private func fields(of action: AppliedAction) -> [LogField] {
        [
            LogField("version", .count(action.version)),
            LogField("changed", .flag(action.changed)),
            LogField("ms", .milliseconds(action.reducerTime / .milliseconds(1))),
            LogField("module", .name(registry[action.type]?.module ?? "-")),
            LogField("type", .name(action.type)),
        ]
    }
}
