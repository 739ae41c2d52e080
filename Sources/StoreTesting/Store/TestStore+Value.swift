import StoreCore
public import StorePatterns
public import Testing

extension TestStore {
    /// Dispatches a side effect, and gives what it returns once all that follows from it is done.
    ///
    /// ```swift
    /// #expect(try await store.value(of: Multiply(a: 6, b: 7)) == 42)
    /// ```
    ///
    /// It is waited for, for ``timeout`` at the most; one that sleeps on a clock that stands still
    /// is sent instead. What it dispatches has to be received after.
    ///
    /// - Throws: what the side effect throws, or the refusal of its dispatch. That is no failure of
    ///   the test by itself: `#expect(throws:)` states it.
    public nonisolated(nonsending) func value<E: SideEffect>(
        of effect: E,
        as principal: String? = nil,
        session: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async throws -> E.Value {
        try await value(effect, TestSender(principal, session), as: E.Value.self, at: place)
    }

    /// Dispatches a side effect of an instance, and gives what it returns.
    public nonisolated(nonsending) func value<E: SideEffect>(
        of effect: E,
        to instance: String,
        as principal: String? = nil,
        session: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async throws -> E.Value {
        try await value(
            effect.to(instance),
            TestSender(principal, session),
            as: E.Value.self,
            at: place
        )
    }

    private nonisolated(nonsending) func value<Value>(
        _ action: any Action,
        _ sender: TestSender,
        as type: Value.Type,
        at place: SourceLocation
    ) async throws -> Value {
        guard begin(action, at: place) else { throw CancellationError() }
        let watch = EffectWatch()
        let done = try await dispatch(action, sender, watch)
        accept(action, done.state, nil, "send", at: place)
        let results = Recorder<Result<any Sendable, any Error>?>()
        watch.whenDone(results.record)
        let result: Result<any Sendable, any Error>?
        do {
            result = try await results.next(within: timeout)
        } catch {
            fail(
                "\(ActionText.of(action)) gave no value within \(timeout).",
                "Where it waits for a clock, send it, and advance the clock.",
                at: place
            )
            throw error
        }
        await rest(at: place)
        if case .failure(let error) = result {
            events.forgetFailures(after: done.version)
            throw error
        }
        guard let value = try result?.get() as? Value else { throw CancellationError() }
        return value
    }
}
