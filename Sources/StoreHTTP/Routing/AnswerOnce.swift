import Synchronization

/// Lets exactly one of several threads answer a request: the first to call it. The end of the
/// awaited work and the end of the client's time compete here.
struct AnswerOnce: ~Copyable, Sendable {
    private let isAnswered = Atomic(false)

    /// True if the request is answered.
    var isDone: Bool { isAnswered.load(ordering: .acquiring) }

    /// Ends the hold and runs `answer` on the first call; later calls do nothing. The hold keeps
    /// the client's session alive during the wait.
    borrowing func callAsFunction(ending hold: SessionHold?, _ answer: () -> Void) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        hold?.end()
        answer()
    }
}
