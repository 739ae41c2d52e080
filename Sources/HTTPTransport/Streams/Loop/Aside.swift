/// A reader that is sent a large frame.
struct Aside {
    /// The version that it will have then.
    let version: UInt64
    /// How many frames its topic had had by then.
    let frames: UInt64
}
