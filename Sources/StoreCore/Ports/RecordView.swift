/// What a replay needs of a record, where it lies: it is not copied.
package struct RecordView {
    /// The version that the action made.
    package let version: UInt64
    /// The action's wire name.
    package let type: UnsafeRawBufferPointer
    /// The action's fields, as JSON.
    package let payload: UnsafeRawBufferPointer
    /// The session that it came from, where it has one.
    package let session: UnsafeRawBufferPointer?
    /// The number of the program that wrote it; 0 where that is not known.
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
