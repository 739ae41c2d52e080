/// The bounds that a client's request can exceed, as the flags of the program set them.
///
/// Routes check the bounds of a body, and name the others in the problem that they answer with: the
/// Core's mailbox and the stream writer enforce those.
package struct RequestBounds: Sendable {
    /// The most actions of clients that wait for the Core. The mailbox enforces it.
    package let mailboxMax: Int
    /// The most actions in one request, whose body is then an array.
    package let batchMax: Int
    /// The most bytes in a request's body.
    package let bodyBytesMax: Int
    /// The most objects and arrays within one another in the JSON of a body.
    package let depthMax: Int
    /// The most streams that are open at once. The stream writer enforces it.
    package let streamsMax: Int

    package init(
        mailboxMax: Int,
        batchMax: Int,
        bodyBytesMax: Int,
        depthMax: Int,
        streamsMax: Int
    ) {
        self.mailboxMax = mailboxMax
        self.batchMax = batchMax
        self.bodyBytesMax = bodyBytesMax
        self.depthMax = depthMax
        self.streamsMax = streamsMax
    }
}
