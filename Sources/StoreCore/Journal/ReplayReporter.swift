import StorePlatform

/// The receiver for reports on the progress of a long pass over the history, and the intervals
/// between the reports.
package struct ReplayReporter: Sendable {
    package struct Report: Sendable {
        /// The verb of the report: `replayed` or `compared`.
        let verb: String
        package let doneCount: UInt64
        /// The number of actions in the pass; 0 if the number is unknown.
        package let total: UInt64
        /// The seconds since the pass began.
        let elapsedSeconds: Double

        /// The share of the actions that are done, between 0 and 1.
        package var fractionDone: Double { total == 0 ? 0 : Double(doneCount) / Double(total) }

        /// The report as text: `replayed 120000 of 1000000 actions (12 %), 24000/s, 37 s remain`.
        package var text: String {
            let rate = elapsedSeconds > 0 ? Double(doneCount) / elapsedSeconds : 0
            let pace = (rate < 10 ? "\(Double(Int(rate * 10)) / 10)" : "\(Int(rate))") + "/s"
            guard total > 0 else { return "\(verb) \(doneCount) actions, \(pace)" }
            let rest = rate > 0 ? Double(total - doneCount) / rate : 0
            return
                "\(verb) \(doneCount) of \(total) actions (\(Int(fractionDone * 100)) %), \(pace), "
                + "\(Int(rest.rounded(.up))) s remain"
        }
    }

    /// The seconds until the first report, and the seconds between two later reports.
    package let intervalSeconds: (first: Double, later: Double)
    package let show: @Sendable (Report) -> Void
    /// The closure that is called at the end of a pass, if the pass has shown a report.
    package let end: @Sendable () -> Void

    /// The intervals for a log: the first report after 1 s, and then a report every 5 s.
    package static let logIntervalSeconds = (first: 1.0, later: 5.0)

    package init(
        intervalSeconds: (first: Double, later: Double) = logIntervalSeconds,
        show: @escaping @Sendable (Report) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) {
        self.intervalSeconds = intervalSeconds
        self.show = show
        self.end = end
    }
}

/// A counter that reports the progress of one pass over history.
///
/// A fast pass reads the clock rarely, so the readings cost almost nothing. A slow pass reads the
/// clock after each action.
package struct ProgressCounter {
    /// The maximum number of actions between two readings of the clock.
    private static let strideMax: UInt64 = 1_024

    private let reporter: ReplayReporter?
    private let verb: String
    private let startVersion: UInt64
    private let endVersion: UInt64
    private let beganAt = SystemTime.steadyNanoseconds()
    /// The version at which the clock is read next.
    private var nextReadingVersion: UInt64
    private var stride: UInt64 = 1
    private var lastReadingTime: UInt64
    /// The time of the next report, in nanoseconds since the pass began.
    private var nextReportTime: UInt64
    private var hasShownReport = false

    /// Makes a counter.
    ///
    /// - Parameters:
    ///   - progress: gets the reports; `nil` for a pass without reports.
    ///   - verb: the verb of the reports, such as `replayed`.
    ///   - start: the version after which the pass begins.
    ///   - end: the last version of the pass.
    package init(
        _ progress: ReplayReporter?,
        _ verb: String,
        after start: UInt64,
        through end: UInt64
    ) {
        self.reporter = progress
        self.verb = verb
        self.startVersion = start
        self.endVersion = max(start, end)
        nextReadingVersion = progress == nil ? .max : start + 1
        lastReadingTime = beganAt
        nextReportTime = UInt64((progress?.intervalSeconds.first ?? 0) * 1e9)
    }

    /// Counts the action of a version as done.
    @inline(__always)
    package mutating func advance(to version: UInt64) {
        if version >= nextReadingVersion { readClock(at: version) }
    }

    private mutating func readClock(at version: UInt64) {
        let now = SystemTime.steadyNanoseconds()
        // Doubles the stride if the last stride took less than 50 ms. Two readings are therefore at
        // most about a tenth of a second apart.
        stride =
            now &- lastReadingTime < 50_000_000
            ? min(stride * 2, Self.strideMax) : max(1, stride / 4)
        lastReadingTime = now
        nextReadingVersion = version + stride
        guard let reporter, now &- beganAt >= nextReportTime else { return }
        nextReportTime = now &- beganAt + UInt64(reporter.intervalSeconds.later * 1e9)
        hasShownReport = true
        reporter.show(
            ReplayReporter.Report(
                verb: verb,
                doneCount: (endVersion > startVersion ? min(version, endVersion) : version)
                    - startVersion,
                total: endVersion - startVersion,
                elapsedSeconds: Double(now &- beganAt) / 1e9
            )
        )
    }

    /// Ends the pass. If the pass has shown a report, calls ``ReplayReporter/end``.
    package func finish() {
        if hasShownReport { reporter?.end() }
    }
}
