import StoreCore
import Testing

// The comparisons of a store under test, and the texts of failures.

extension TestStore {
    func stateCheck(for verb: String) -> StateCheck<State> {
        StateCheck(
            reporter: reporter,
            exhaustivity: exhaustivity,
            functionName: verb,
            storeValueCopier: storeValueCopier
        )
    }

    /// Compares the state after an action with the stated outcome, and continues with the actual
    /// state.
    func compareAndAdopt(
        _ action: any Action,
        _ actual: State,
        _ stated: StatedOutcome<State>,
        _ verb: String,
        at place: SourceLocation
    ) {
        coverage?.markExercised(action)
        stateCheck(for: verb).checkApplied(action, from: state, to: actual, as: stated, at: place)
        state = actual
    }

    /// Reports events that the test did not state, and continues with the state after these events.
    func report(unstated: [TestEvent<State>], before what: String, at place: SourceLocation) {
        guard !unstated.isEmpty else { return }
        for event in unstated { adoptState(after: event) }
        let list = unstated.map { "\n  " + text(of: $0) }.joined()
        report(
            "Before \(what), events came that are not stated:\n\(list)",
            "State each: receive(…), or skipReceived().",
            skipped: "Before \(what), events came that the test skips:\n\(list)",
            at: place
        )
    }

    /// Reports dependencies that were not prepared. Such a dependency is a mistake of the test,
    /// even if the test is not exhaustive.
    func reportUnpreparedDependencies(at place: SourceLocation) {
        for event in events.takeUnpreparedFailures() { reporter.fail(text(of: event), at: place) }
    }

    func report(running: [EffectToken], _ when: String, at place: SourceLocation) {
        guard !running.isEmpty else { return }
        let list = running.map { "\n  " + text(of: $0) }.joined()
        report(
            "Effects did not end; \(when) these run:\n\(list)",
            "Advance their clock, dispatch an action that ends them, or cancelEffects().",
            skipped: "Effects did not end, which the test skips:\n\(list)",
            at: place
        )
    }

    /// Reports a failure with advice. A store that is not exhaustive reports a warning or nothing
    /// instead.
    private func report(
        _ failure: String,
        _ advice: String,
        skipped warning: String,
        at place: SourceLocation
    ) {
        switch exhaustivity {
        case .on: reporter.fail(failure, advice, at: place)
        case .off(showSkipped: true): reporter.onWarning(warning, place)
        case .off(showSkipped: false): break
        }
    }

    /// Continues with the state after an event.
    func adoptState(after event: TestEvent<State>) {
        if case .action(_, let after) = event.kind { state = after }
    }

    /// Waits until all effects have ended or wait for something.
    nonisolated(nonsending) func waitUntilIdle(at place: SourceLocation) async {
        guard await executor.waitForRest() else {
            reporter.fail(
                "Effects kept a thread busy for \(OrderedExecutor.busyMax): "
                    + runner.runningEffects.map { text(of: $0) }.joined(separator: ", "),
                "An effect has to await, and must not block or loop for that long.",
                at: place
            )
            return
        }
        reportUnpreparedDependencies(at: place)
    }

    func text(of event: TestEvent<State>) -> String {
        switch event.kind {
        case .action(let action, _):
            ActionText.of(action) + ", after " + events.actionName(ofVersion: event.cause)
                + (event.sourceLocation.map { " (\($0))" } ?? "")
        case .failure(let id, let error):
            "the effect '\(id)', after \(events.actionName(ofVersion: event.cause)), threw: "
                + (error.refusal.map { "Refusal: \($0.reason)" } ?? "\(error)")
        }
    }

    func text(of token: EffectToken) -> String {
        "'\(token.id)', after \(events.actionName(ofVersion: token.cause.version))"
    }
}
