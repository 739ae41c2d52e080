import StorePlatform
import Synchronization

/// The number of log lines since the start, by level, and the times of the last errors. A line
/// counts when it is offered to the log, even if the log has no room for the line. Lines below the
/// lowest written level do not count. Any thread may use this object.
package final class LogCounts: Sendable {
    private let lineCountsByLevel = CounterArray(count: LogLevel.allCases.count)
    /// The time of the last error of each event, in nanoseconds since 1970; 0 if there was none.
    private let lastErrorTimes = CounterArray(count: LogEvent.allCases.count)

    func note(_ line: LogLine) {
        note(1, line.level)
        guard line.level == .error, let event = line.event,
            let place = LogEvent.allCases.firstIndex(of: event)
        else { return }
        lastErrorTimes.counters[place].max(UInt64(clamping: line.time), ordering: .relaxed)
    }

    func note(_ count: Int, _ level: LogLevel) {
        lineCountsByLevel.counters[Int(level.rank)].add(UInt64(clamping: count), ordering: .relaxed)
    }

    // Reading

    package var countsByLevel: [(level: LogLevel, lines: UInt64)] {
        LogLevel.allCases.map { ($0, lineCountsByLevel[Int($0.rank)]) }
    }

    /// The time of the last error of each event, in nanoseconds since 1970. Events without an error
    /// are left out.
    package var lastErrors: [(event: LogEvent, time: UInt64)] {
        LogEvent.allCases.indices.compactMap { place in
            let time = lastErrorTimes[place]
            return time > 0 ? (LogEvent.allCases[place], time) : nil
        }
    }
}
