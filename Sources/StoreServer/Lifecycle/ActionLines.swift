import ActionCatalog
import StoreCore
import Telemetry
import Wire

/// `--log-actions`: a line in the log for each applied action, without anything of its payload.
///
/// ```text
/// store-server: applied version=42 changed=true ms=0.013 module=login type=login/succeeded
/// ```
struct ActionLines<State>: Sendable {
    private let registry: ActionRegistry<State>
    private let excluded: Set<ExactText>
    private let logger: Logger

    /// `nil` where the configuration does not ask for them.
    ///
    /// - Throws: ``ConfigurationError`` where a type that is left out is none.
    init?(
        _ configuration: ServerConfiguration,
        _ registry: ActionRegistry<State>,
        _ logger: Logger
    ) throws(ConfigurationError) {
        for name in configuration.logExcluded
        where registry[name] == nil && ClientRequest(recorded: name) == nil {
            let names = registry.entries.map(\.name)
            guard !names.contains(exactly: name) else { continue }
            let hint = EditDistance.nearest(to: name, in: names).map { "; did you mean '\($0)'?" }
            throw ConfigurationError(
                "--log-exclude: no action has the wire name '\(name)'" + (hint ?? "")
            )
        }
        guard configuration.logActions else { return nil }
        self.registry = registry
        self.logger = logger
        excluded = Set(configuration.logExcluded.map { ExactText($0) })
    }

    /// Hands a commit's actions over, on the Core's thread; the lines are made on the log's.
    func applied(_ actions: [AppliedAction]) {
        let shown = excluded.isEmpty ? actions : actions.filter { !isExcluded($0.type) }
        guard !shown.isEmpty else { return }
        logger.details(shown.count) { count in shown.prefix(count).map(line) }
    }

    /// Actions of instances are left out by the name without the instance.
    private func isExcluded(_ type: String) -> Bool {
        excluded.contains(ExactText(type))
            || registry[type].map { excluded.contains(ExactText($0.name)) } == true
    }

    /// The type comes last, because it may hold an instance's id, and so anything.
    private func line(_ action: AppliedAction) -> String {
        let microseconds = max(0, Int64(action.duration / .microseconds(1)))
        let fraction = String(microseconds % 1_000)
        return "applied version=\(action.version) changed=\(action.changed) "
            + "ms=\(microseconds / 1_000)."
            + String(repeating: "0", count: 3 - fraction.count) + fraction
            + " module=\(registry[action.type]?.module ?? "-") type=\(action.type)"
    }
}
