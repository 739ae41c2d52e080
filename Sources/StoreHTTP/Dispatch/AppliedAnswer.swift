import StoreHTTPTransport
import StoreWire

/// The members of the answer to an applied action.
struct AppliedAnswer {
    let first: UInt64
    let last: UInt64
    /// True if something has changed of what the caller sees, or asked for; `nil` for the record of
    /// a use case's call or of a notification, which changes nothing.
    let changed: Bool?
    /// The state that it led to, where the client asked for it.
    var state: Bytes?
    /// The version of that state; ``last`` where nothing is said.
    var tagged: UInt64?
    /// Whether all that follows it has ended, where the client waits for that.
    var isCompleted = true
    /// What its effect returned.
    var value: [UInt8]?
    /// Whether it was applied before, under the same key.
    var isReplayed = false
    /// Whether it is known what became of what follows it.
    var isEndKnown = true

    /// The header fields that every such answer has.
    static let fields = HTTPFields([
        ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
    ])

    /// True if it is about a call of a use case or a notification.
    var isOfRequest: Bool { changed == nil }

    /// The body (protocol 2.5). A large state is sent from where it is.
    func write(to writer: inout HTTPAnswerWriter, epoch: String, isBatch: Bool, showsEnd: Bool) {
        writeMembers(to: &writer.body, epoch: epoch, isBatch: isBatch, showsEnd: showsEnd)
        guard let state else { return writer.body.raw("}") }
        writer.body.raw(",\"state\":")
        guard state.count >= Self.sharedBytesMin else {
            state.withUnsafeBytes { writer.body.raw($0.bindMemory(to: UInt8.self)) }
            return writer.body.raw("}")
        }
        let pieces = [Bytes(writer.body.array), state, Self.end]
        writer.sharedBody = Bytes(joining: pieces, shared: state.count)
    }

    /// From how many bytes on a state is not copied into the answer.
    private static let sharedBytesMin = 16 << 10
    private static let end = Bytes(utf8: "}")

    private func writeMembers(
        to body: inout JSONOutput,
        epoch: String,
        isBatch: Bool,
        showsEnd: Bool
    ) {
        body.raw("{\"epoch\":\"")
        body.text(epoch)
        if isBatch {
            body.raw("\",\"first\":")
            body.decimal(first)
            body.raw(",\"version\":")
        } else {
            body.raw("\",\"version\":")
        }
        body.decimal(last)
        if let changed { body.raw(changed ? ",\"changed\":true" : ",\"changed\":false") }
        if showsEnd { body.raw(isCompleted ? ",\"completed\":true" : ",\"completed\":false") }
        if let value {
            body.raw(",\"value\":")
            value.withUnsafeBufferPointer { body.raw($0) }
        }
    }
}
