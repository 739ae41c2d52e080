package import EventStream
package import Wire

/// What takes over the sockets of streams.
package protocol StreamAdopter: AnyObject, Sendable {
    /// Takes a socket, for which a place has been reserved, and closes it in the end.
    ///
    /// - Parameters:
    ///   - owner: who reads it.
    ///   - ended: called when the socket is closed, where somebody must know.
    func adopt(
        descriptor: CInt,
        opening: Bytes,
        topic: TopicID,
        resume: Resume,
        owner: StreamOwner,
        ended: (@Sendable () -> Void)?
    )

    /// Gives back a place that was reserved for a stream that did not come to be.
    func abandon(_ topic: TopicID)
}
