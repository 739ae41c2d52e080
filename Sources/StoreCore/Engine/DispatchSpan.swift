package import StoreTraces

/// The span of an envelope's way through the Core, from the mailbox to its outcome. Made only where
/// the envelope's trace is exported.
package final class DispatchSpan: @unchecked Sendable {
    // Safety: it is made with its envelope, and from then on the thread that does the Core's work
    // alone touches it; envelopes pass to that thread under the mailbox's lock.

    /// Which span it is. What follows the envelope's actions is within it.
    package let identity: Span.Identity
    fileprivate let offered = SpanTime.now
    /// When the Core began with the envelope, and when it was reduced; the last time, where a batch
    /// was worked again.
    var taken: SpanTime?
    var reduced: SpanTime?
    /// The parts of the commit; `nil` where nothing was committed.
    fileprivate var commit: CommitTimes?

    /// Begins the span.
    package init(_ identity: Span.Identity) {
        self.identity = identity
    }
}

extension Engine {
    /// The span of an action that an effect dispatches; `nil` where its trace is not exported.
    func span(within trace: String?) -> DispatchSpan? {
        guard let tracing = ports.tracing else { return nil }
        return tracing.tracer.begin(within: trace).map { DispatchSpan($0) }
    }

    /// Notes when the parts of a commit ended.
    func noteCommit(_ done: borrowing Batch, _ times: CommitTimes) {
        done.outcomes.withUnsafeBufferPointer { outcomes in
            for index in outcomes.indices { outcomes[index].envelope.span?.commit = times }
        }
    }

    /// Records the span of an envelope that has come to its end.
    func end(_ span: DispatchSpan, of envelope: Envelope, _ outcome: Outcome) {
        guard let tracing = ports.tracing else { return }
        let members = envelope.members
        let kind = members.count == 1 ? members[0].kind : nil
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
                from: span.offered,
                to: .now,
                attributes,
                events: span.events(outcome.isApplied),
                isError: outcome.isFailure
            )
        )
    }
}

extension DispatchSpan {
    /// The steps of the way: those of the commit where the envelope was applied.
    fileprivate func events(_ isApplied: Bool) -> [Span.Event] {
        var events: [Span.Event] = []
        if let taken { events.append(.init("reduce", at: taken)) }
        if let reduced { events.append(.init("reduced", at: reduced)) }
        guard isApplied, let commit else { return events }
        events.append(.init("commit", at: SpanTime(steady: commit.appending)))
        events.append(.init("durable", at: SpanTime(steady: commit.durable)))
        events.append(.init("published", at: SpanTime(steady: commit.published)))
        return events
    }
}

extension Outcome {
    fileprivate var isApplied: Bool { if case .applied = self { true } else { false } }

    fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }

    /// What became of it, as the label `outcome` of metrics has it, and the versions.
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
