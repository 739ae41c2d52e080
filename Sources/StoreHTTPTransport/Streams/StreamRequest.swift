import StoreEventStream

/// A request to the writer's thread, with the closure that gets the answer.
enum StreamRequest: Sendable {
    case list(@Sendable ([OpenStream]) -> Void)
    case end(StreamID, @Sendable (Bool) -> Void)
    case endSession(String)
    case endForbidden
    /// End this part of the streams whose readers are behind, those first that have taken nothing
    /// for the longest time.
    case shed(Double)

    /// Gives the answer of a writer without streams, for one that has ended.
    func answerEmpty() {
        switch self {
        case .list(let answer): answer([])
        case .end(_, let answer): answer(false)
        case .endSession, .endForbidden, .shed: break
        }
    }
}
