/// The outcome of a stop.
public enum StopOutcome: Sendable, Equatable {
    /// Every client was served to the end.
    case clean
    /// Some clients had not read all their data when the time was over; their connections were cut.
    case clientsCutOff
    /// A part of the server was not finished when the time was over: a reducer that loops, or a
    /// disk that hangs. The value is its name.
    ///
    /// The part continues in a thread that is left behind, with the journal open, so the process
    /// should end. Acknowledged actions are in the journal.
    case unfinished(String)
}
