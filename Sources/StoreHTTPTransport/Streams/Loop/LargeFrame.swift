/// A large frame on its way to a reader.
struct LargeFrame {
    /// The version that the reader has when it has taken the whole frame.
    let version: UInt64
    /// The number of frames for all readers that the topic had had when this frame was begun.
    let framesBefore: UInt64
}
