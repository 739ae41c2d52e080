import Synchronization

/// Lets one of several threads answer a request: the first, be it the end of the work that is
/// waited for or the end of the client's time.
struct AnswerOnce: ~Copyable, Sendable {
    private let isAnswered = Atomic(false)

    /// Whether it is answered.
    var isDone: Bool { isAnswered.load(ordering: .acquiring) }

    /// Does `answer` on the first call, and nothing on the others. The hold, which keeps the
    /// client's session while it waits, ends with the answer.
    borrowing func callAsFunction(ending hold: SessionHold?, _ answer: () -> Void) {
        guard !isAnswered.exchange(true, ordering: .acquiringAndReleasing) else { return }
        hold?.end()
        answer()
    }
}
