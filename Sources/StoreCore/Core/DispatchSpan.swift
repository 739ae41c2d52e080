package import StoreTraces

/// The span of an envelope's way through the Core, from the mailbox to its outcome. The span exists
/// only if the envelope's trace is exported.
package final class DispatchSpan: @unchecked Sendable {
    // Safety: the thread that makes the envelope makes its span. From then on, only the thread that
    // does the Core's work uses the span. Envelopes pass to that thread under the mailbox's lock.

    /// The identity of the span. This span contains the spans of all consequences of the envelope's
    /// actions.
    package let identity: Span.Identity
    fileprivate let offerTime = SpanTime.now
    /// The time at which the Core began to process the envelope, and the time after the envelope's
    /// reduction. If the Core processed the envelope again, both times are from the last reduction.
    var reductionStartTime: SpanTime?
    var reductionEndTime: SpanTime?
    /// The times of the commit; `nil` if nothing was committed.
    fileprivate var commitTimes: CommitTimes?

    package init(_ identity: Span.Identity) { self.identity = identity }
}

extension Engine {
    /// Begins the span of an action that an effect dispatches. Returns `nil` if the action's trace
    /// is not exported.
    func beginSpan(within trace: String?) -> DispatchSpan? {
        guard let tracing = ports.tracing else { return nil }
        return tracing.tracer.beginInnerSpan(within: trace).map { DispatchSpan($0) }
    }

    /// Stores the times of a commit in the spans of the batch's envelopes.
    func noteCommit(_ done: borrowing Batch, _ times: CommitTimes) {
        done.outcomes.withUnsafeBufferPointer { outcomes in
            for index in outcomes.indices { outcomes[index].envelope.span?.commitTimes = times }
        }
    }

    /// Records the span of an envelope whose outcome is known.
    func end(_ span: DispatchSpan, of envelope: Envelope, _ outcome: Outcome) {
        guard let tracing = ports.tracing else { return }
        let members = envelope.members
        let kind = members.count == 1 ? members[0].wireNameTemplate : nil
        var attributes = tracing.attributes
        attributes.append(.init("store.actions", members.count))
        if let kind { attributes.append(.init("store.action.type", kind)) }
        if let cause = envelope.source?.cause {
            attributes.append(.init("store.cause.version", cause))
        }
        attributes += outcome.attributes
        tracing.tracer.record(
            Span(
                span.identity,
                .internal,
                kind.map { "dispatch \($0)" } ?? "dispatch",
                from: span.offerTime,
                to: .now,
                attributes,
                events: span.events(isApplied: outcome.isApplied),
                isError: outcome.isFailure
            )
        )
    }
}

extension DispatchSpan {
    /// Returns the events of the span. Only the span of an applied envelope has the events of the
    /// commit.
    fileprivate func events(isApplied: Bool) -> [Span.Event] {
        var events: [Span.Event] = []
        if let reductionStartTime { events.append(.init("reduce", at: reductionStartTime)) }
        if let reductionEndTime { events.append(.init("reduced", at: reductionEndTime)) }
        guard isApplied, let commitTimes else { return events }
        events.append(.init("commit", at: SpanTime(steady: commitTimes.beforeAppend)))
        events.append(.init("durable", at: SpanTime(steady: commitTimes.afterAppend)))
        events.append(.init("published", at: SpanTime(steady: commitTimes.afterPublish)))
        return events
    }
}

extension Outcome {
    fileprivate var isApplied: Bool { if case .applied = self { true } else { false } }

    fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }

    /// The span attributes of the outcome: the value of the metrics' label `outcome`, and the
    /// versions.
    fileprivate var attributes: [Span.Attribute] {
        let label = "store.outcome"
        guard case .applied(let first, let last, let changed, _) = self else {
            return [.init(label, ActionOutcome(self)?.label ?? "")]
        }
        return [
            .init(label, (changed ? ActionOutcome.changed : .unchanged).label),
            .init("store.version.first", first),
            .init("store.version.last", last),
        ]
    }
}
