import HTTPTransport
import Wire

/// What the answer to an applied action says.
struct AppliedAnswer {
    let first: UInt64
    let last: UInt64
    let changed: Bool
    /// The state that it led to, where the client asked for it.
    var state: Bytes?
    /// The version of that state; ``last`` where nothing is said.
    var tagged: UInt64?
    /// Whether its effects have ended, where the client waits for that.
    var isCompleted = true
    /// What its effect returned.
    var value: [UInt8]?
    /// Whether it was applied before, under the same key.
    var isReplayed = false

    /// The header fields that every such answer has.
    static let fields = HTTPFields([
        ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
    ])

    /// Writes the body (protocol 2.2).
    func write(to body: inout JSONOutput, epoch: String, isBatch: Bool, waits: Bool) {
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
        body.raw(changed ? ",\"changed\":true" : ",\"changed\":false")
        if waits { body.raw(isCompleted ? ",\"completed\":true" : ",\"completed\":false") }
        if let value {
            body.raw(",\"value\":")
            value.withUnsafeBufferPointer { body.raw($0) }
        }
        if let state {
            body.raw(",\"state\":")
            state.withUnsafeBytes { body.raw($0.bindMemory(to: UInt8.self)) }
        }
        body.raw("}")
    }
}
