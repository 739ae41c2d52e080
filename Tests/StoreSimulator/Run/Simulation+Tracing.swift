import StoreCore

extension Simulation {
    /// Returns the trace of a request; `nil` for most requests.
    static func trace(_ chance: inout Chance) -> String? {
        guard chance.happens(1, in: 3) else { return nil }
        func digits(_ count: Int) -> String {
            // The digit 1 keeps the id from being all zeros.
            "1" + (1..<count).map { _ in String(chance.below(16), radix: 16) }.joined()
        }
        return "00-\(digits(32))-\(digits(16))-0\(chance.below(2))"
    }

    /// Verifies that a record has the trace of its request, or else of its cause. The records of a
    /// timer have no trace: the timer may be due long after its cause.
    func verifyTrace(of record: Record, askedIn trace: String?) throws {
        var expected = trace
        var isForgotten = false
        let isOfTimer = firedTimer != nil || record.type.hasPrefix("schedule/")
        if !isOfTimer, let cause = record.cause, cause > 0 {
            expected = TraceContext.traceparent(in: journal.record(cause)?.meta)
            let page = JournalPageRequest(after: cause - 1, limit: 1, bytesMax: .max)
            isForgotten = (try? journal.read(page).records.first?.version) != cause
            // A forget has removed the trace from the record, and not from the running effects.
            if cause <= past.forgotten { return }
        }
        let found = TraceContext.traceparent(in: record.meta)
        // A start can't find the trace of a forgotten record.
        guard found == expected || (isForgotten && found == nil) else {
            throw Violation(
                .traced,
                "version \(record.version), \(Bytewise(record.type)), is a part of "
                    + "\(found as Any) and not of \(expected as Any)"
            )
        }
    }
}

extension [(name: String, value: String)] {
    /// Returns these header fields of a request with its trace.
    func within(_ trace: String?) -> Self { trace.map { self + [("traceparent", $0)] } ?? self }
}
