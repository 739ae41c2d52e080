import StorePlatform

/// A moment of a span, by the clock that is never set: so no span ends before it began, whatever
/// becomes of the time of day. Exporting makes a time of day of it.
package struct SpanTime: Sendable, Equatable, Comparable {
    /// Nanoseconds of ``SystemTime/steadyNanoseconds()``.
    package let nanoseconds: UInt64

    package init(steady nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// This moment.
    package static var now: SpanTime { SpanTime(steady: SystemTime.steadyNanoseconds()) }

    package static func < (a: SpanTime, b: SpanTime) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Nanoseconds since 1970, given how far the time of day is ahead of the steady clock.
    package func wallNanoseconds(ahead offset: Int64) -> UInt64 {
        UInt64(clamping: Int64(bitPattern: nanoseconds) &+ offset)
    }

    /// How far the time of day is ahead of the steady clock now.
    package static var wallOffset: Int64 {
        SystemTime.wallNanoseconds() &- Int64(bitPattern: SystemTime.steadyNanoseconds())
    }
}
