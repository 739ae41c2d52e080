/// The state of one version. A replay makes later states from it, without the earlier actions.
public struct StateSnapshot: Sendable, Equatable {
    /// The version of the state.
    public let version: UInt64
    /// The time of the snapshot, in nanoseconds since 1970.
    public let time: Int64
    /// The state, as JSON.
    public let state: [UInt8]
    /// The id of the form of the state's type. A snapshot of another form is not read.
    public let form: String

    /// Makes a snapshot.
    public init(version: UInt64, time: Int64, state: [UInt8], form: String) {
        self.version = version
        self.time = time
        self.state = state
        self.form = form
    }
}
