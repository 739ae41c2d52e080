import EventStream

/// A question for the writer's thread, with who waits for the answer.
enum StreamQuestion: Sendable {
    case list(@Sendable ([OpenStream]) -> Void)
    case end(StreamID, @Sendable (Bool) -> Void)
    case endSession(String)

    /// Answers for a writer that has no streams any more.
    func answerWithout() {
        switch self {
        case .list(let answer): answer([])
        case .end(_, let answer): answer(false)
        case .endSession: break
        }
    }
}
