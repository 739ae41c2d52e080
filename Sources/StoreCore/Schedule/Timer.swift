/// A time of the day in UTC, to the minute. On the wire it is a text such as `07:30`.
public struct TimeOfDay: Codable, Hashable, Sendable, LosslessStringConvertible {
    /// The hour, from 0 to 23.
    public let hour: Int
    /// The minute, from 0 to 59.
    public let minute: Int

    /// Makes a time of the day. An hour or a minute beyond its bounds becomes the nearest bound.
    public init(hour: Int, minute: Int = 0) {
        self.hour = min(max(hour, 0), 23)
        self.minute = min(max(minute, 0), 59)
    }

    /// Reads a text such as `07:30`; `nil` for any other text.
    public init?(_ description: String) {
        let parts = description.utf8.split(separator: UInt8(ascii: ":"))
        guard parts.count == 2, description.utf8.count == 5, parts[0].count == 2,
            let hour = Int(Substring(parts[0])), let minute = Int(Substring(parts[1])),
            0...23 ~= hour, 0...59 ~= minute
        else { return nil }
        (self.hour, self.minute) = (hour, minute)
    }

    /// The text, such as `07:30`.
    public var description: String {
        (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
    }

    /// Reads the text of a time.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = TimeOfDay(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "'\(text)' is no time of a day; allowed is HH:MM"
            )
        }
        self = time
    }

    /// Writes the text of the time.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The nanoseconds from midnight to this time.
    var nanosecondsOfDay: Int64 { Int64(hour * 60 + minute) * 60_000_000_000 }
}

/// The treatment of the due times of a timer that pass while no server runs.
public enum MissedTimer: String, Codable, Sendable {
    /// The next start dispatches the action once, for all missed times together.
    case once
    /// The next start dispatches the action once for each missed time.
    case each
    /// The next start dispatches nothing for missed times.
    case skipped
}

/// The times at which a timer is due.
package enum TimerRule: Equatable, Sendable {
    /// Once, after a delay from the time of the action that sets the timer.
    case after(Duration)
    /// Once, at a time in nanoseconds since 1970.
    case at(Int64)
    /// Again and again. The first time is one interval after the action that sets the timer.
    case every(Duration)
    case daily(TimeOfDay)

    private static let dayNanoseconds: Int64 = 86_400_000_000_000
    /// The shortest interval of a repeated timer.
    private static let intervalMin = Duration.seconds(1)

    /// The reason why the rule is invalid; `nil` for a valid rule.
    var fault: String? {
        if case .every(let interval) = self, interval < Self.intervalMin {
            return "a timer repeats after 1 second at least"
        }
        return nil
    }

    /// The interval between two due times, in nanoseconds; `nil` for a timer that is due once.
    var intervalNanoseconds: Int64? {
        switch self {
        case .after, .at: nil
        case .every(let interval): interval.clampedNanoseconds
        case .daily: Self.dayNanoseconds
        }
    }

    /// Returns the first due time of a timer that is set at `time`.
    func firstDue(after time: Int64) -> Int64 {
        switch self {
        case .after(let delay): time.addingClamped(max(0, delay.clampedNanoseconds))
        case .at(let due): due
        case .every(let interval): time.addingClamped(interval.clampedNanoseconds)
        case .daily(let timeOfDay):
            Self.nextDueTime(
                from: timeOfDay.nanosecondsOfDay,
                every: Self.dayNanoseconds,
                after: time
            )
        }
    }

    /// Returns the first time after `time` that is a whole number of intervals from `start`.
    static func nextDueTime(from start: Int64, every interval: Int64, after time: Int64) -> Int64 {
        let past = time.subtractingClamped(start)
        let rest = past % interval
        let whole = past - (rest < 0 ? rest + interval : rest)
        return start.addingClamped(whole).addingClamped(interval)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to the range of `Int64`.
    var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !isOver else { return seconds < 0 ? .min : .max }
        return whole.addingClamped(attoseconds / 1_000_000_000)
    }
}

extension Int64 {
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }

    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? (other < 0 ? .max : .min) : difference
    }
}

/// A timer that a reducer sets.
package struct TimerRequest: Sendable {
    let id: String
    let rule: TimerRule
    let missed: MissedTimer
    let action: any Action & Encodable

    /// The reason why the request is invalid; `nil` for a valid request.
    var fault: String? {
        guard 1...Schedule.idBytesMax ~= id.utf8.count else {
            return "the id of a timer, '\(id)', has to have 1 to \(Schedule.idBytesMax) bytes"
        }
        return rule.fault
    }
}

extension Effect {
    /// Sets a timer that dispatches `action` once, after a delay.
    ///
    /// ```swift
    /// case .placed(let id):
    ///     state.open.append(id)
    ///     return .after(.seconds(3_600), id: id, Internal.expired(id: id))
    /// ```
    ///
    /// The timer is a part of the state (``Schedule``), so it survives a restart. The delay begins
    /// at the time of the action whose reducer returned the effect. A newer timer of the same id
    /// replaces the timer, and ``cancel(id:)`` removes it. The start and the stop of the slice
    /// remove its timers. Other slices of the module may have timers of the same id.
    ///
    /// - Parameters:
    ///   - delay: the time until the timer is due; a negative delay counts as zero.
    ///   - id: the name of the timer, of 1 to 128 bytes, unique within the slice.
    ///   - action: an action of the same module.
    ///   - missed: the treatment of a timer that is due while no server runs.
    /// - Returns: the effect.
    public static func after(
        _ delay: Duration,
        id: String,
        _ action: some ModuleAction,
        missed: MissedTimer = .once
    ) -> Effect {
        Effect(.timer(TimerRequest(id: id, rule: .after(delay), missed: missed, action: action)))
    }

    /// Sets a timer that dispatches `action` once, at a given time. A timer for a time in the past
    /// is due immediately. See ``after(_:id:_:missed:)``.
    ///
    /// - Parameters:
    ///   - time: the time, in nanoseconds since 1970.
    ///   - id: the name of the timer.
    ///   - action: an action of the same module.
    ///   - missed: the treatment of a timer that is due while no server runs.
    /// - Returns: the effect.
    public static func at(
        _ time: Int64,
        id: String,
        _ action: some ModuleAction,
        missed: MissedTimer = .once
    ) -> Effect {
        Effect(.timer(TimerRequest(id: id, rule: .at(time), missed: missed, action: action)))
    }

    /// Sets a timer that dispatches `action` again and again. See ``after(_:id:_:missed:)``.
    ///
    /// - Parameters:
    ///   - interval: the time between two actions, at least one second.
    ///   - id: the name of the timer.
    ///   - action: an action of the same module.
    ///   - missed: the treatment of the due times that pass while no server runs.
    /// - Returns: the effect.
    public static func every(
        _ interval: Duration,
        id: String,
        _ action: some ModuleAction,
        missed: MissedTimer = .once
    ) -> Effect {
        Effect(.timer(TimerRequest(id: id, rule: .every(interval), missed: missed, action: action)))
    }

    /// Sets a timer that dispatches `action` each day, at a time in UTC. See
    /// ``after(_:id:_:missed:)``.
    ///
    /// - Parameters:
    ///   - time: the time of the day, in UTC.
    ///   - id: the name of the timer.
    ///   - action: an action of the same module.
    ///   - missed: the treatment of the due times that pass while no server runs.
    /// - Returns: the effect.
    public static func daily(
        at time: TimeOfDay,
        id: String,
        _ action: some ModuleAction,
        missed: MissedTimer = .once
    ) -> Effect {
        Effect(.timer(TimerRequest(id: id, rule: .daily(time), missed: missed, action: action)))
    }

    /// The timers that the effect sets, and the ids that it cancels, in order.
    var timerChanges: [TimerChange] {
        switch kind {
        case .timer(let request): [.set(request)]
        case .cancel(let id): [.cancel(id: id)]
        case .merge(let effects), .concatenate(let effects): effects.flatMap(\.timerChanges)
        case .none, .run, .endSession, .endUser: []
        }
    }
}

/// A change of a slice's timers.
package enum TimerChange: Sendable {
    case set(TimerRequest)
    case cancel(id: String)
}
