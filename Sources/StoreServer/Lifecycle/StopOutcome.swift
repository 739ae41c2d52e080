/// How a server's service ended.
public enum StopOutcome: Sendable, Equatable {
    /// Every client was served to the end.
    case clean
    /// The time was over before some clients had taken what was theirs; their connections were cut.
    case clientsCutOff
    /// Something inside had not come to its end when the time was over: a reducer that loops, or a
    /// disk that hangs. It is named here.
    ///
    /// It goes on in a thread that is left behind, with the journal open, so the process should
    /// end. What was acknowledged is in the journal.
    case unfinished(String)
}
