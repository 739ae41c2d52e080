import StoreEventStream

/// The work that other threads leave for the writer's thread.
struct StreamMail: Sendable {
    var inbox = Inbox<JoiningReader>()
    var stop: (reason: CloseReason, seconds: Double)?
    /// The requests of operators. An HTTP request waits for each, so connections bound their
    /// number.
    var requests: [StreamRequest] = []
    /// True if the loop has ended.
    var isEnded = false
    /// True if the source of the log has more records, or has read the requested ones.
    var logMoved = false
    /// True if the thread was woken and has not taken the mail yet.
    var isAwaited = false
}
