/// An answer that the client has not read completely.
final class UnreadAnswer {
    // Safety: only the loop's thread uses the properties, one property at a time. So the properties
    // need no check for overlapping accesses.

    /// The connection's record, which exists until the request has ended. This answer ends with the
    /// request.
    unowned(unsafe) let loopConnection: LoopConnection
    /// The number of bytes that this answer shares with no other answer.
    let ownBytes: Int
    let pieces: [SharedPiece]
    let holders: [MessageMemory.Holder]
    @exclusivity(unchecked) var takenBytes = 0
    @exclusivity(unchecked) var isEnding = false
    @exclusivity(unchecked) fileprivate var index = 0

    init(
        _ record: LoopConnection,
        ownBytes: Int,
        _ pieces: [SharedPiece],
        _ holders: [MessageMemory.Holder]
    ) {
        self.loopConnection = record
        self.ownBytes = ownBytes
        self.pieces = pieces
        self.holders = holders
    }
}

/// The answers that are not read yet, the oldest first.
struct UnreadAnswers: ~Copyable {
    /// The answers in their order. Elements of removed answers are `nil`, and are removed when more
    /// than half of the elements are `nil`.
    private var answers: ContiguousArray<UnreadAnswer?> = []
    private(set) var count = 0
    /// The bytes of the answers whose connections are being ended.
    private(set) var endingBytes = 0

    mutating func add(_ answer: UnreadAnswer) {
        answer.index = answers.count
        answers.append(answer)
        count += 1
    }

    mutating func remove(_ answer: UnreadAnswer) {
        if answer.isEnding { endingBytes -= answer.takenBytes }
        answers[answer.index] = nil
        count -= 1
        while case .some(nil) = answers.last { answers.removeLast() }
        guard answers.count > 64, count < answers.count / 2 else { return }
        answers = ContiguousArray(answers.filter { $0 != nil })
        for (place, answer) in answers.enumerated() { answer?.index = place }
    }

    /// Notes that an answer's connection is being ended.
    mutating func noteEnding(_ answer: UnreadAnswer) {
        answer.isEnding = true
        endingBytes += answer.takenBytes
    }

    /// Returns the oldest answer, other than `kept`, whose connection is not being ended. With
    /// `holder`, considers only the answers of this holder.
    func oldest(except kept: UnreadAnswer, of holder: MessageMemory.Holder? = nil) -> UnreadAnswer?
    {
        for case .some(let answer) in answers where !answer.isEnding && answer !== kept {
            if let holder, !answer.holders.contains(holder) { continue }
            return answer
        }
        return nil
    }
}
