import StorePlatform

/// The times of the steps of a commit, as ``SystemTime/steadyNanoseconds()``.
struct CommitTimes {
    /// The time directly before the append to the journal.
    var appending: UInt64 = 0
    var durable: UInt64 = 0
    /// The time at which readers could get the batch.
    var published: UInt64 = 0
}

// Measuring. Without figures and traces, the engine reads no clock here.

extension Engine {
    /// The current time, read three times for a batch; 0 if nothing is measured.
    var now: UInt64 { figures == nil && !isTraced ? 0 : SystemTime.steadyNanoseconds() }

    /// Counts the actions of a published batch.
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

    /// Completes an envelope. The steps of an applied envelope were counted before.
    func answer(_ envelope: Envelope, _ outcome: Outcome) {
        if let figures, let ended = ActionOutcome(outcome) { figures.ended(envelope, ended) }
        if isTraced, let span = envelope.span { end(span, of: envelope, outcome) }
        envelope.completion.complete(outcome)
    }
}
