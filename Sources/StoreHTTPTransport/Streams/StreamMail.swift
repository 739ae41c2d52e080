/// The work that other threads leave for the writer's thread.
struct StreamMail: Sendable {
    var inbox = Inbox()
    var stop: (reason: CloseReason, seconds: Double)?
    /// The requests of operators. The number of requests is bounded by the bound on connections.
    var requests: [StreamRequest] = []
    var isEnded = false
    /// True if the source of the log has more records, or has read requested records into memory.
    var hasMoreLogRecords = false
    /// True if the thread was woken and has not taken the mail yet.
    var isWakePending = false
}

/// A reader that is handed over to the writer's thread, with the socket and the first frame.
struct JoiningReader: Sendable {
    let descriptor: CInt
    var beginning: StreamBeginning
    let onEnd: (@Sendable () -> Void)?
}

/// A request to the writer's thread, with the closure that gets the answer.
enum StreamRequest: Sendable {
    case list(@Sendable ([OpenStream]) -> Void)
    case end(StreamID, @Sendable (Bool) -> Void)
    case endSession(String)
    case endForbidden
    /// Ends this fraction of the streams whose readers are behind, beginning with the readers that
    /// have taken nothing for the longest time.
    case shed(Double)

    /// Answers the request in place of a writer that has ended, as if the writer had no streams.
    func answerEmpty() {
        switch self {
        case .list(let answer): answer([])
        case .end(_, let answer): answer(false)
        case .endSession, .endForbidden, .shed: break
        }
    }
}
