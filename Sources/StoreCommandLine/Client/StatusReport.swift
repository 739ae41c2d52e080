import StoreCurl
import StoreJSON
import StorePlatform
import StoreWire

/// The report about the condition of a server at one time.
struct StatusReport {
    private let url: String
    private let createdAt = ContinuousClock.now
    private(set) var isReady = false
    /// The reasons why the server is not ready, or why a request had no usable answer.
    private var reasonsNotReady: [String] = []
    private var metrics = MetricsReading("")

    init(of url: String, trouble: String) {
        self.url = url
        reasonsNotReady = [trouble]
    }

    init(of url: String, ready: HTTPResponse, metrics: HTTPResponse) {
        self.url = url
        isReady = ready.status == 200
        if !isReady { reasonsNotReady = Self.reasonsNotReady(ready) }
        if metrics.status == 200 {
            self.metrics = MetricsReading(String(decoding: metrics.body, as: UTF8.self))
        } else {
            let isDenied = [401, 403].contains(metrics.status)
            let hint =
                isDenied ? ": --token-file FILE sends a credential whose role may read it" : ""
            reasonsNotReady.append("/metrics answers \(metrics.status)" + hint)
        }
    }

    private static func reasonsNotReady(_ answer: HTTPResponse) -> [String] {
        let document = try? JSONDocument(parsing: answer.body, limits: JSONLimits())
        let found = document?.root.member(named: "reasons")?.elements ?? []
        let reasons = found.map { reason in
            func text(_ name: String) -> String? { reason.member(named: name)?.stringValue }
            let store = text("store").map { "\($0): " } ?? ""
            return "\(store)\(text("code") ?? "-"): \(text("detail") ?? "")"
        }
        return reasons.isEmpty ? ["/readyz answers \(answer.status)"] : reasons
    }

    /// Returns the lines of the report. With an earlier report `last`, the lines have the rate of
    /// actions since that report. Values that the server does not measure have no line.
    func text(since last: StatusReport?) -> String {
        var lines = [("server", url), ("ready", isReady ? "yes" : "no")]
        lines += reasonsNotReady.map { ("", $0) }
        func addLine(_ name: String, _ text: String?) {
            if let text { lines.append((name, text)) }
        }
        addLine("program", metrics.label("version", of: "store_build_info"))
        for store in metrics.storeLabels {
            let name = store.map { " of \($0)" } ?? ""
            addLine("epoch" + name, metrics.label("epoch", of: "store_history_info", store))
            addLine("version" + name, versionText(of: store, since: last))
        }
        addLine("streams", countText("store_streams_open", of: "store_streams_max"))
        addLine("sessions", countText("store_sessions_open"))
        addLine("mailbox", countText("store_mailbox_actions", of: "store_mailbox_actions_max"))
        addLine("journal", journalText)
        addLine("memory", metrics.sum("process_resident_memory_bytes").map(Self.mebibytesText))
        let refused = metrics.sum("store_limits_hit_total", "limit", "mailbox").map(
            Self.integerText
        )
        addLine("refused", refused.map { "\($0) by a full mailbox" })
        addLine(
            "dropped",
            countText("store_actions_dropped_total").map { "\($0) of the program itself" }
        )
        addLine("errors", logLineCountText("error").map { $0 + lastErrorText })
        addLine("warnings", logLineCountText("warning"))
        let width = (lines.map(\.0.count).max() ?? 0) + 2
        return lines.map { name, text in
            name + String(repeating: " ", count: width - name.count) + text + "\n"
        }.joined()
    }

    private func versionText(of store: String?, since last: StatusReport?) -> String? {
        guard let version = metrics.sum("store_version", "store", store) else { return nil }
        guard let last, let before = last.metrics.sum("store_version", "store", store) else {
            return Self.integerText(version)
        }
        let seconds = last.createdAt.duration(to: createdAt) / .seconds(1)
        let rate = seconds > 0 ? max(0, version - before) / seconds : 0
        return "\(Self.integerText(version)), \(Self.integerText(rate.rounded())) a second"
    }

    private func logLineCountText(_ level: String) -> String? {
        metrics.sum("store_log_lines_total", "level", level).map(Self.integerText)
    }

    /// The event and the time of the last error in the log; empty if there was no error.
    private var lastErrorText: String {
        let name = "store_log_last_error_time_seconds"
        guard let (event, seconds) = metrics.greatestSample(of: name, by: "event") else {
            return ""
        }
        let time = CivilTime(nanosecondsSince1970: Int64(clamping: seconds * 1e9))
        return ", the last: \(event) at \(time.rfc3339(.seconds))"
    }

    private var journalText: String? {
        guard let bytes = metrics.sum("store_journal_file_bytes") else { return nil }
        let records = countText("store_journal_records").map { ", \($0) actions" } ?? ""
        return Self.mebibytesText(bytes) + records
    }

    private func countText(_ name: String, of bound: String? = nil) -> String? {
        guard let count = metrics.sum(name).map(Self.integerText) else { return nil }
        return count
            + (bound.flatMap { metrics.sum($0) }.map { " of \(Self.integerText($0))" } ?? "")
    }

    private static func integerText(_ value: Double) -> String { "\(Int64(clamping: value))" }

    private static func mebibytesText(_ value: Double) -> String {
        let mebibytes = (value / 1_048_576 * 10).rounded() / 10
        return "\(mebibytes) MiB"
    }
}

extension Int64 {
    fileprivate init(clamping value: Double) {
        self = Int64(exactly: value.rounded()) ?? (value > 0 ? .max : 0)
    }
}
