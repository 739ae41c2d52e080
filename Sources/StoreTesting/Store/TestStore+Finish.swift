import StoreCore
public import Testing

extension TestStore {
    /// Waits for the end of all effects, for at most ``timeout``. Reports events that the test has
    /// not stated. If effects still run, reports and cancels them.
    public nonisolated(nonsending) func finish(at place: SourceLocation = #_sourceLocation) async {
        await rest(at: place)
        let hasEnded = await changes.wait(within: timeout) {
            runner.running.isEmpty
        }
        reportUnprepared(at: place)
        report(unstated: events.take(), before: "the test finished", at: place)
        if !hasEnded {
            report(running: runner.running, "after \(timeout)", at: place)
            runner.cancelAll()
        }
    }

    /// Skips the actions and failures so far, without a report, and continues with the current
    /// state.
    public nonisolated(nonsending) func skipReceived(
        at place: SourceLocation = #_sourceLocation
    ) async {
        await rest(at: place)
        for event in events.take() { follow(event) }
    }

    /// Cancels the running effects.
    public nonisolated(nonsending) func cancelEffects(
        at place: SourceLocation = #_sourceLocation
    ) async {
        runner.cancelAll()
        await rest(at: place)
    }
}
