import StorePlatform
import Synchronization

/// How many lines the log was given since the start, by their levels, and when errors came last.
///
/// A line is counted when it is offered, so that one counts, too, that the log has no room for.
/// Lines below the level that is written do not count. Any thread.
package final class LogCounts: Sendable {
    private let lines = Cells(count: LogLevel.allCases.count)
    /// When an error of each event came last, in nanoseconds since 1970; 0 where none came.
    private let errors = Cells(count: LogEvent.allCases.count)

    /// Counts a line.
    func note(_ line: LogLine) {
        note(1, line.level)
        guard line.level == .error, let event = line.event,
            let place = LogEvent.allCases.firstIndex(of: event)
        else { return }
        errors.first[place].max(UInt64(clamping: line.time), ordering: .relaxed)
    }

    /// Counts so many lines of a level.
    func note(_ count: Int, _ level: LogLevel) {
        lines.first[Int(level.rank)].add(UInt64(clamping: count), ordering: .relaxed)
    }
}

// Reading

extension LogCounts {
    /// How many lines of each level there were.
    package var byLevel: [(level: LogLevel, lines: UInt64)] {
        LogLevel.allCases.map { ($0, lines[Int($0.rank)]) }
    }

    /// When an error of each event came last, in nanoseconds since 1970; without the events of
    /// which none came.
    package var lastErrors: [(event: LogEvent, time: UInt64)] {
        LogEvent.allCases.indices.compactMap { place in
            let time = errors[place]
            return time > 0 ? (LogEvent.allCases[place], time) : nil
        }
    }
}
