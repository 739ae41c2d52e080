import StorePlatform

/// Shows how far a long pass over history has come.
package struct ReplayProgress: Sendable {
    /// How far it is.
    package struct Report: Sendable {
        /// `replayed`, `compared`.
        let verb: String
        package let done: UInt64
        /// 0 where it is not known.
        package let total: UInt64
        /// The time since the pass began.
        let seconds: Double

        /// Between 0 and 1.
        package var share: Double { total == 0 ? 0 : Double(done) / Double(total) }

        /// In words: `replayed 120000 of 1000000 actions (12 %), 24000/s, 37 s remain`.
        package var text: String {
            let rate = seconds > 0 ? Double(done) / seconds : 0
            let pace = (rate < 10 ? "\(Double(Int(rate * 10)) / 10)" : "\(Int(rate))") + "/s"
            guard total > 0 else { return "\(verb) \(done) actions, \(pace)" }
            let rest = rate > 0 ? Double(total - done) / rate : 0
            return "\(verb) \(done) of \(total) actions (\(Int(share * 100)) %), \(pace), "
                + "\(Int(rest.rounded(.up))) s remain"
        }
    }

    /// When the first report comes, and how long it is from one to the next, in seconds.
    package let intervals: (first: Double, others: Double)
    package let show: @Sendable (Report) -> Void
    /// Called at the end of a pass that had a report.
    package let end: @Sendable () -> Void

    /// For a log, where lines stay: the first after a second, then every five.
    package static let logIntervals = (first: 1.0, others: 5.0)

    package init(
        intervals: (first: Double, others: Double) = logIntervals,
        show: @escaping @Sendable (Report) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) {
        self.intervals = intervals
        self.show = show
        self.end = end
    }
}

/// One pass over history that shows how far it is.
///
/// It looks at the clock so rarely that a fast pass costs nothing, and after each action where a
/// slow one takes long.
package struct ProgressCounter {
    /// The most actions between two looks at the clock.
    private static let strideMax: UInt64 = 1_024

    private let progress: ReplayProgress?
    private let verb: String
    private let start: UInt64
    private let end: UInt64
    private let began = SystemTime.steadyNanoseconds()
    /// The version at which the clock is looked at next.
    private var next: UInt64
    private var stride: UInt64 = 1
    private var looked: UInt64
    /// When the next report is due, in nanoseconds since the beginning.
    private var due: UInt64
    private var hasShown = false

    /// - Parameters:
    ///   - progress: shows it; `nil` for a pass that shows nothing.
    ///   - verb: `replayed`.
    ///   - start: the version that the pass begins after.
    ///   - end: the last version.
    package init(
        _ progress: ReplayProgress?,
        _ verb: String,
        after start: UInt64,
        through end: UInt64
    ) {
        self.progress = progress
        self.verb = verb
        self.start = start
        self.end = max(start, end)
        next = progress == nil ? .max : start + 1
        looked = began
        due = UInt64((progress?.intervals.first ?? 0) * 1e9)
    }

    /// The action of a version is done.
    @inline(__always)
    package mutating func reached(_ version: UInt64) {
        if version >= next { look(at: version) }
    }

    private mutating func look(at version: UInt64) {
        let now = SystemTime.steadyNanoseconds()
        // A tenth of a second between two looks is often enough.
        stride = now &- looked < 50_000_000 ? min(stride * 2, Self.strideMax) : max(1, stride / 4)
        looked = now
        next = version + stride
        guard let progress, now &- began >= due else { return }
        due = now &- began + UInt64(progress.intervals.others * 1e9)
        hasShown = true
        progress.show(
            ReplayProgress.Report(
                verb: verb,
                done: (end > start ? min(version, end) : version) - start,
                total: end - start,
                seconds: Double(now &- began) / 1e9
            )
        )
    }

    /// The pass has ended.
    package func finish() {
        if hasShown { progress?.end() }
    }
}
