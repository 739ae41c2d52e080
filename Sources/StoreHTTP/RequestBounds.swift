/// The bounds on clients' requests, as the flags of the program set them.
///
/// Routes check the bounds of a body themselves. The Core's mailbox and the stream writer enforce
/// the others, and routes only name these in problems.
package struct RequestBounds: Sendable {
    /// The most actions of clients that wait for the Core. The mailbox enforces it.
    package let mailboxMax: Int
    /// The most actions in one request, whose body is then an array.
    package let batchMax: Int
    /// The most bytes in a request's body.
    package let bodyBytesMax: Int
    /// The most levels of nested objects and arrays in the JSON of a body.
    package let depthMax: Int
    /// The most open streams. The stream writer enforces it.
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
