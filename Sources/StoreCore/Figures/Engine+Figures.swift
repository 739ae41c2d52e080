import StorePlatform

/// When the parts of a commit ended, in the nanoseconds of ``SystemTime/steadyNanoseconds()``.
struct CommitTimes {
    /// The journal was about to get the batch.
    var appending: UInt64 = 0
    var durable: UInt64 = 0
    /// Readers could get it.
    var published: UInt64 = 0
}

// What is measured. Without figures no clock is read here.

extension Engine {
    /// The time, where something is measured: read thrice for a batch.
    var now: UInt64 { figures == nil && !isTraced ? 0 : SystemTime.steadyNanoseconds() }

    /// Counts a batch that is published.
    func count(_ done: borrowing Batch, _ times: CommitTimes) {
        guard let figures else { return }
        figures.commit.observe(times.durable &- times.appending)
        figures.publish.observe(times.published &- times.durable)
        figures.batches.observe(UInt64(done.steps.count))
        done.steps.withUnsafeBufferPointer { steps in
            for index in steps.indices {
                figures.applied(
                    steps[index].member,
                    changed: steps[index].change.isChange,
                    nanoseconds: steps[index].nanoseconds
                )
            }
        }
    }

    /// Completes an envelope. One that was applied is counted by its steps.
    func answer(_ envelope: Envelope, _ outcome: Outcome) {
        if let figures, let ended = ActionOutcome(outcome) { figures.ended(envelope, ended) }
        if isTraced, let span = envelope.span { end(span, of: envelope, outcome) }
        envelope.completion.complete(outcome)
    }
}
