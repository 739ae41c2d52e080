import StorePlatform

/// A moment of a span, by a clock that is never set. So no span ends before its beginning, even if
/// the time of day is set back. The export converts the moment to a time of day.
package struct SpanTime: Sendable, Equatable, Comparable {
    /// Nanoseconds of ``SystemTime/steadyNanoseconds()``.
    package let nanoseconds: UInt64

    package init(steady nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// The current moment.
    package static var now: SpanTime { SpanTime(steady: SystemTime.steadyNanoseconds()) }

    package static func < (a: SpanTime, b: SpanTime) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Returns nanoseconds since 1970. `offset` is the time of day minus the steady clock, in
    /// nanoseconds.
    package func wallNanoseconds(ahead offset: Int64) -> UInt64 {
        UInt64(clamping: Int64(bitPattern: nanoseconds) &+ offset)
    }

    /// The time of day minus the steady clock at this moment, in nanoseconds.
    package static var wallOffset: Int64 {
        SystemTime.wallNanoseconds() &- Int64(bitPattern: SystemTime.steadyNanoseconds())
    }
}
