import StoreCore
public import Testing

extension TestStore {
    /// Waits until all effects have ended, for ``timeout`` at the most, and states that nothing
    /// more happened.
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

    /// Leaves out what effects and presenters have dispatched so far, and goes on with the state as
    /// it is.
    public nonisolated(nonsending) func skipReceived(
        at place: SourceLocation = #_sourceLocation
    ) async {
        await rest(at: place)
        for event in events.take() { follow(event) }
    }

    /// Cancels the effects that run.
    public nonisolated(nonsending) func cancelEffects(
        at place: SourceLocation = #_sourceLocation
    ) async {
        runner.cancelAll()
        await rest(at: place)
    }
}
