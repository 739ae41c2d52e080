import StoreEventStream

/// What other threads leave for the writer's thread.
struct StreamMail: Sendable {
    var inbox = Inbox<JoiningReader>()
    var stop: (reason: CloseReason, seconds: Double)?
    /// What operators ask for. An HTTP request waits for each, so there are no more than
    /// connections.
    var requests: [StreamRequest] = []
    /// Whether the thread has ended.
    var isEnded = false
    /// Whether the source of the log has more, or has read what it was asked for.
    var logMoved = false
    /// Whether the thread has been woken and has not come yet.
    var isAwaited = false
}
