/// The bounds that requests meet.
package struct RequestBounds: Sendable {
    /// The most actions of clients that wait for the Core.
    package let mailboxMax: Int
    /// The most actions of one array.
    package let batchMax: Int
    /// The most bytes of a body, and how deep its JSON may be.
    package let bodyBytesMax: Int
    package let depthMax: Int
    /// The most streams that are open.
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
