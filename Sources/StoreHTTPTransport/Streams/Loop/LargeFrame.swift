/// A large frame on its way to a reader.
struct LargeFrame {
    /// The version that the reader has when it has taken all of it.
    let version: UInt64
    /// How many frames for all the topic had had when it was begun.
    let framesBefore: UInt64
}
