package import StoreEventStream

/// The port through which the event loop hands over the sockets of streams.
package protocol StreamAdopter: AnyObject, Sendable {
    /// Takes over a socket, for which a place is reserved, and closes it when the stream ends. Then
    /// calls `onEnd` once, on any thread.
    func adopt(
        descriptor: CInt,
        _ beginning: StreamBeginning,
        onEnd: (@Sendable () -> Void)?
    )

    /// Gives back a place that was reserved for a stream that did not begin.
    func abandon(_ topic: TopicID)
}
