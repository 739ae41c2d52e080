package import StoreCore
package import StoreHistory
package import StorePublishing
package import StoreTelemetry

/// The objects that measure a store, besides the counters of its parts.
package struct StoreFigures: Sendable {
    /// The figures of the Core.
    package let core: CoreFigures
    /// The times of effects, by their module and the action that they follow.
    package let effects = EffectTimes()
    /// The times of requests, by route.
    package let requests = RequestTimes()
    /// The counters of requests that a policy denied.
    let denials: PolicyDenials
    /// The open streams of the policy's roles; `nil` if there is no policy.
    let roleStreams: RoleStreams?
    let journal: any Journal
    let keeper: SnapshotKeeper
    /// The times of encoding the state.
    let encoding: EncodeTimes
    /// The operator's bounds on the history; `nil` if the program brings its own journal.
    let retention: Retention?

    package init(
        _ core: CoreFigures,
        of journal: any Journal,
        _ keeper: SnapshotKeeper,
        encoding: EncodeTimes,
        _ retention: Retention?,
        access: AccessControl?
    ) {
        denials = access?.denials ?? PolicyDenials()
        roleStreams = access?.streams
        self.core = core
        self.journal = journal
        self.keeper = keeper
        self.encoding = encoding
        self.retention = retention
    }
}
