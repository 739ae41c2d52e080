package import StoreEventStream

/// The port through which the event loop hands over the sockets of streams.
package protocol StreamAdopter: AnyObject, Sendable {
    /// Takes a socket, for which a place has been reserved, and closes it in the end. `onEnd` is
    /// called once then, on any thread.
    func adopt(
        descriptor: CInt,
        _ beginning: StreamBeginning,
        onEnd: (@Sendable () -> Void)?
    )

    /// Gives back a place that was reserved for a stream that did not come to be.
    func abandon(_ topic: TopicID)
}
