/// The state of one version, from which later ones can be made again without the actions before it.
public struct StateSnapshot: Sendable, Equatable {
    /// The version whose state it is.
    public let version: UInt64
    /// When it was taken, in nanoseconds since 1970.
    public let time: Int64
    /// The state, as JSON.
    public let state: [UInt8]
    /// Identifies the form of the state's type: a snapshot of another form is not read.
    public let form: String

    /// Makes a snapshot.
    public init(version: UInt64, time: Int64, state: [UInt8], form: String) {
        self.version = version
        self.time = time
        self.state = state
        self.form = form
    }
}
