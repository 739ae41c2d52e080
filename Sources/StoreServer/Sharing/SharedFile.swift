/// The file that keeps a module's shared value beside the store, for other programs:
/// ``StoreServer/keeping(_:in:origin:line:)``.
public struct SharedFile: Sendable, Equatable {
    /// The path of the file.
    public let path: String

    /// Returns a JSON file at this path, which is relative to the working folder of the process.
    /// Its folder has to exist; the store makes the file.
    public static func file(_ path: String) -> SharedFile { SharedFile(path: path) }
}
