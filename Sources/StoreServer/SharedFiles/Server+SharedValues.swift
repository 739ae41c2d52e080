public import StoreCore

extension Server where State: RootState {
    /// Returns a server that keeps the shared value of a module in a file, for other programs.
    ///
    /// ```swift
    /// Server(AppState.self)
    ///     .sharedValue(of: User.self, in: .file("user.json"))
    ///     .main()
    /// ```
    ///
    /// The file contains the value as JSON. While the module is not started, the file contains
    /// null. A worker thread writes the file when the value has changed and the change is durable.
    /// If values change faster than the disk can write them, the server writes only the newest
    /// value.
    ///
    /// Each write replaces the whole file. Another program therefore reads either the old value or
    /// the new value, even after a crash. A stop of the server writes the last value. If the
    /// process ended without a stop, the next start writes the value. If the disk is full or the
    /// folder is missing, the log gets a line, and the server writes again at the next change.
    ///
    /// A start makes the state from the history, and not from this file. But with `beginning`, a
    /// store without a history begins with the value in the file, if the file exists:
    ///
    /// ```swift
    /// Server(AppState.self)
    ///     .sharedValue(of: User.self, in: .file("user.json")) { User.Internal.restored($0) }
    ///     .main()
    /// ```
    ///
    /// The value comes into the store by an action, like any other value. The action is dispatched
    /// after the starts of modules, and before requests and the reactions to the server's start. A
    /// replay does not need the file, because the action has a version and a record.
    ///
    /// - Parameters:
    ///   - module: the module with the shared value, which must have a single slice for all
    ///     sessions. The server does not start with any other module, or if a path is given twice.
    ///   - file: the file that gets the value. With `beginning`, the server does not start if the
    ///     content can't be read as the value. Otherwise the next change would overwrite that
    ///     content.
    ///   - origin: the source file of this call, which the log shows with the first action.
    ///   - line: the line of this call.
    ///   - beginning: makes the store's first action from the value in the file. If this is `nil`,
    ///     the server does not read the file.
    /// - Returns: the server that also writes this value to its file.
    public func sharedValue<M: SharingModule>(
        of module: M.Type,
        in file: SharedFile,
        origin: String = #fileID,
        line: Int = #line,
        beginning: (@Sendable (M.SharedValue) -> any Action)? = nil
    ) -> Server {
        let place = "\(origin):\(line)"
        return with {
            $0.mirroredValues.append(
                MirroredValue(module, in: file, at: place, beginning: beginning)
            )
        }
    }
}

/// The file with a module's shared value, for other programs:
/// ``Server/sharedValue(of:in:origin:line:beginning:)``.
public struct SharedFile: Sendable, Equatable {
    /// The path of the file.
    public let path: String

    /// Returns a JSON file at this path, which is relative to the working folder of the process.
    /// The folder of the file has to exist; the server makes the file.
    public static func file(_ path: String) -> SharedFile { SharedFile(path: path) }
}
