import StoreEventStream

/// One place for a reader.
struct StreamSlot {
    var descriptor: CInt = -1
    /// Differs from that of earlier readers in the same place.
    var generation: UInt32 = 0
    var topic: Int32 = 0
    /// Its place in the topic's list of readers.
    var place: Int32 = 0
    var inputBytes: UInt32 = 0
    /// When the stream's time is over, in whole seconds of the loop; 0 for never.
    var expires: UInt32 = 0
    /// When it joined, in whole seconds of the clock.
    var joined: UInt32 = 0
    /// The first version that the reader does not have; moved on in patch mode alone.
    var nextVersion: UInt64 = 0
    /// What has ended the stream, which goes on until its reader has taken the last frame.
    private(set) var ending: StreamEnding?

    /// Notes what ends the stream; the first counts.
    mutating func end(because ending: StreamEnding) {
        if self.ending == nil { self.ending = ending }
    }

    /// Begins another stream in the same place.
    mutating func begin() {
        ending = nil
        inputBytes = 0
    }
}
