import StoreTraces

extension EffectRunner {
    /// Records the span of an effect that has ended. The span has neither the effect's id nor the
    /// text of its error: both may have data of clients.
    func record(
        _ span: Span.Identity,
        of token: EffectToken,
        _ result: Result<any Sendable, any Error>
    ) {
        guard let tracing else { return }
        let ended = SpanTime.now
        let error: (any Error)? = if case .failure(let error) = result { error } else { nil }
        let outcome =
            token.isCancelled || error is CancellationError
            ? "cancelled" : error == nil ? "done" : "failed"
        var attributes = tracing.attributes
        attributes += [
            .init("store.module", token.address.module),
            .init("store.action.type", token.cause.type),
            .init("store.cause.version", token.cause.version),
            .init("store.outcome", outcome),
        ]
        let isError = outcome == "failed"
        if isError, let error { attributes.append(.init("error.type", "\(type(of: error))")) }
        tracing.tracer.record(
            Span(
                span,
                .internal,
                "effect \(token.cause.type)",
                from: SpanTime(steady: ended.nanoseconds &- token.nanoseconds),
                to: ended,
                attributes,
                isError: isError
            )
        )
    }
}
