import StoreEventStream

/// A request to the writer's thread, with the closure that gets the answer.
enum StreamRequest: Sendable {
    case list(@Sendable ([OpenStream]) -> Void)
    case end(StreamID, @Sendable (Bool) -> Void)
    case endSession(String)
    case endForbidden
    /// End this fraction of the streams whose readers are behind, beginning with the readers that
    /// have taken nothing for the longest time.
    case shed(Double)

    /// Answers like a writer without streams, after the writer has ended.
    func answerEmpty() {
        switch self {
        case .list(let answer): answer([])
        case .end(_, let answer): answer(false)
        case .endSession, .endForbidden, .shed: break
        }
    }
}
