package import StoreCore
package import StoreHistory
package import StorePublishing
package import StoreTelemetry

/// Where it stands what is measured of one store, beside the counters of its parts.
package struct StoreFigures: Sendable {
    /// What the Core does.
    package let core: CoreFigures
    /// Effects, by their module and the action that they follow.
    package let effects = EffectTimes()
    /// Requests, by their routes.
    package let requests = RequestTimes()
    /// What a policy denied.
    let denials: PolicyDenials
    /// The streams that the roles of a policy have open; `nil` where there is none.
    let roleStreams: RoleStreams?
    let journal: any Journal
    let keeper: SnapshotKeeper
    /// The time that encoding the state takes.
    let encoding: EncodeTimes
    /// What the operator has bounded; `nil` where the journal is the program's own.
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
