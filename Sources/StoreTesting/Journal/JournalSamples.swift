import StoreCore

/// The records, outcomes and snapshots that the checks store in a journal. A record depends only on
/// its version and on the arguments.
enum JournalSamples {
    /// Pairs of texts. The texts of a pair are equal by `==`, but their bytes differ.
    static let unicodeTwins = ["caf\u{E9}", "cafe\u{301}", "K", "\u{212A}"]

    static func record(_ version: UInt64, type: String = "counted", bytes: Int = 0) -> Record {
        Record(
            version: version,
            time: Int64(version) * 1_000,
            type: type,
            payload: Array(#"{"number":\#(version)}"#.utf8) + Array(repeating: 0x20, count: bytes),
            meta: version.isMultiple(of: 2) ? Array("{}".utf8) : nil,
            principal: version.isMultiple(of: 3)
                ? ActionPrincipal(name: "ann", role: "author") : nil,
            requestID: version.isMultiple(of: 5) ? nil : "r\(version)",
            changed: !version.isMultiple(of: 7),
            cause: version.isMultiple(of: 4) ? version - 1 : nil,
            origin: version.isMultiple(of: 6) ? "Home/Home.swift:6" : nil,
            session: version % 4 > 1 ? "session-\(version % 3)" : nil,
            program: version.isMultiple(of: 9) ? .max : UInt32(version % 4)
        )
    }

    static func records(_ versions: ClosedRange<UInt64>) -> [Record] { versions.map { record($0) } }

    static func outcome(
        _ key: String,
        of principal: String? = nil,
        at version: UInt64
    ) -> KeptOutcome {
        KeptOutcome(
            key: IdempotencyKey(principal: principal, key: key),
            fingerprint: [1, 2, UInt8(truncatingIfNeeded: version)],
            first: version,
            last: version,
            changed: true,
            // The current time, because a journal on disk removes old outcomes at once.
            time: SystemClock().now()
        )
    }

    static func snapshot(_ version: UInt64, _ text: String = "state") -> StateSnapshot {
        StateSnapshot(
            version: version,
            time: SystemClock().now(),
            state: Array("{\"\(text)\":\(version)}".utf8),
            form: "form"
        )
    }

    /// Appends the records up to a version, a hundred at a time.
    static func fill(
        _ journal: any Journal,
        to version: UInt64,
        bytes: Int = 0
    ) throws(JournalError) {
        var newest = journal.version
        while newest < version {
            let last = min(version, newest + 100)
            let records = (newest + 1...last).map { record($0, bytes: bytes) }
            try journal.append(JournalBatch(records: records), at: newest)
            newest = last
        }
    }
}
