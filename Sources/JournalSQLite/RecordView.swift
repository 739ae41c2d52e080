import Texts

/// A record that is being replayed, where it lies in the database's memory.
package struct RecordView {
    /// The version that the action made.
    package let version: UInt64
    /// When it was stamped, in nanoseconds since 1970.
    package let time: Int64
    /// Whether it changed the state.
    package let changed: Bool
    /// The action's wire name.
    package let type: String
    /// The wire names of one pass, counted from 0 in the order in which they come first: what is to be
    /// known of a type is looked up once and kept in an array.
    package let typeIndex: Int
    /// The action's fields, as JSON; gone when the call is over.
    package let payload: UnsafeRawBufferPointer
    /// What the client sent along; gone when the call is over.
    package let meta: UnsafeRawBufferPointer?

    init(_ fields: borrowing RecordFields, type: String, typeIndex: Int) {
        version = fields.version
        time = fields.time
        changed = fields.changed
        self.type = type
        self.typeIndex = typeIndex
        payload = fields.payload
        meta = fields.meta
    }
}

/// Numbers the wire names of one pass.
struct TypeIndex {
    private var names = TextCache()
    private var numbers: [ExactText: Int] = [:]
    /// The last one, for most records are of the type of the one before.
    private var last: (number: Int, name: String)?

    mutating func index(of bytes: UnsafeRawBufferPointer) -> (Int, String) {
        let name = names.text(bytes)
        if let last, last.name.isSame(as: name) { return (last.number, name) }
        let number = numbers[ExactText(name)] ?? numbers.count
        numbers[ExactText(name)] = number
        last = (number, name)
        return (number, name)
    }
}
