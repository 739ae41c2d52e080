/// The fields of a record that a replay needs, as pointers to the stored bytes, without a copy.
package struct RecordView {
    /// The version that the action made.
    package let version: UInt64
    /// The action's wire name.
    package let type: UnsafeRawBufferPointer
    /// The action's fields, as JSON.
    package let payload: UnsafeRawBufferPointer
    /// The session that dispatched the action; `nil` if there was none.
    package let session: UnsafeRawBufferPointer?
    /// The number of the program that wrote the record; 0 if it is unknown.
    package let program: UInt32

    package init(
        version: UInt64,
        type: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer,
        session: UnsafeRawBufferPointer? = nil,
        program: UInt32 = 0
    ) {
        self.version = version
        self.type = type
        self.payload = payload
        self.session = session
        self.program = program
    }
}
