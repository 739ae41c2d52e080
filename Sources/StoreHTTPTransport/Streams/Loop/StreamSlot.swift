import StoreEventStream

/// A slot for one reader.
struct StreamSlot {
    var descriptor: CInt = -1
    /// A number that differs for each reader of the slot.
    var generation: UInt32 = 0
    var topic: Int32 = 0
    /// The reader's index in the list of its topic.
    var place: Int32 = 0
    var inputBytes: UInt32 = 0
    /// The end of the stream's lifetime, in whole seconds of the loop; 0 if it has no bound.
    var expires: UInt32 = 0
    /// The time at which the reader joined, in whole seconds of the clock.
    var joined: UInt32 = 0
    /// The first version that the reader does not have. Only patch mode advances it.
    var nextVersion: UInt64 = 0
    /// The cause of the stream's end. The stream goes on until its reader has taken the last frame.
    private(set) var ending: StreamEnding?

    /// Notes the cause of the stream's end. The first cause counts.
    mutating func end(because ending: StreamEnding) {
        if self.ending == nil { self.ending = ending }
    }

    /// Prepares the slot for another stream.
    mutating func begin() {
        ending = nil
        inputBytes = 0
    }
}
