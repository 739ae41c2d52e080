import StoreCore
public import StorePatterns
public import Testing

extension TestStore {
    /// Dispatches a side effect, and returns its value when all work that follows from it is done.
    ///
    /// ```swift
    /// #expect(try await store.value(of: Multiply(a: 6, b: 7)) == 42)
    /// ```
    ///
    /// Waits for at most ``timeout``. If the side effect sleeps on a clock that stands still, send
    /// it instead. The test has to receive the actions that it dispatches afterwards.
    ///
    /// - Throws: the error of the side effect, or the refusal of its dispatch. This alone is no
    ///   failure of the test: `#expect(throws:)` states it.
    public nonisolated(nonsending) func value<E: SideEffect>(
        of effect: E,
        as principal: String? = nil,
        session: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) async throws -> E.Value {
        try await value(effect, TestSender(principal, session), as: E.Value.self, at: place)
    }

    /// Dispatches a side effect of an instance, and returns its value.
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
                "If it waits for a clock, send it, and advance the clock.",
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
