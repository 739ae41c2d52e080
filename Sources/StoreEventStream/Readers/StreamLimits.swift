/// The bounds of streams. Times are in seconds.
package struct StreamLimits: Sendable {
    /// The most streams that are open at a time.
    package var streamsMax = 10_000
    package var heartbeatSeconds = 15
    /// The longest time in which a reader may take nothing. The writer then closes its stream.
    package var stallSeconds = 30
    /// The longest time that a stream may last; 0 if there is no bound.
    package var lifetimeSeconds = 0

    package init() {}
}
