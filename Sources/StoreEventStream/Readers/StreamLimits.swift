/// The bounds of streams. Times are in seconds.
package struct StreamLimits: Sendable {
    /// The most streams at a time.
    package var streamsMax = 10_000
    package var heartbeatSeconds = 15
    /// How long a reader may take nothing before it is closed.
    package var stallSeconds = 30
    /// How long a stream may last; 0 for ever.
    package var lifetimeSeconds = 0

    package init() {}
}
