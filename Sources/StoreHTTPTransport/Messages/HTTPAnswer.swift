package import StoreJSON

/// An answer that is written on the event loop's thread, into the memory from which it is sent.
package protocol HTTPAnswer: AnyObject, Sendable {
    /// Writes the answer; called once.
    func write(to writer: inout HTTPAnswerWriter)
}

/// A writer of the status, the fields and the body of an answer. The next answer uses the same
/// memory.
package struct HTTPAnswerWriter: ~Copyable {
    package var status = 200
    package var body = JSONOutput(capacity: 256)
    /// The body that is sent in place of ``body``; `nil` if ``body`` itself is sent. A large shared
    /// body is sent from its own memory.
    package var sharedBody: Bytes?
    /// The header fields in the form of ``HTTPFields``.
    private(set) var fields = JSONOutput(capacity: 256)
    private(set) var fieldCount = 0

    init() {}

    /// Removes the previous answer. Keeps the memory, unless the memory is unusually large.
    mutating func reset() {
        status = 200
        sharedBody = nil
        fieldCount = 0
        fields.truncate(freeingAbove: 4 << 10)
        body.truncate(freeingAbove: 16 << 10)
    }

    /// Adds fields that are in the library's form already.
    package mutating func add(_ ready: HTTPFields) {
        ready.bytes.withUnsafeBufferPointer { fields.raw($0) }
        fieldCount += ready.count
    }

    package mutating func add(_ name: StaticString, _ value: String) {
        var field = HTTPFields()
        field.append("\(name)", value)
        add(field)
    }

    /// Adds a field. `write` appends the field's value, which has only visible characters and
    /// spaces.
    package mutating func add(_ name: StaticString, _ write: (inout JSONOutput) -> Void) {
        fields.raw(name)
        fields.byte(0)
        write(&fields)
        fields.byte(0)
        fieldCount += 1
    }
}

extension HTTPResponse {
    package init(_ answer: any HTTPAnswer) { self.init { answer.write(to: &$0) } }

    init(_ write: (inout HTTPAnswerWriter) -> Void) {
        var writer = HTTPAnswerWriter()
        write(&writer)
        self.init(
            status: writer.status,
            fields: HTTPFields(bytes: writer.fields.array, count: writer.fieldCount),
            body: writer.sharedBody.map { .shared($0) } ?? .bytes(writer.body.array)
        )
    }
}
