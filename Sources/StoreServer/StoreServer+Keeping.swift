public import StoreCore

extension StoreServer where State: RootState {
    /// The same server, which keeps what a module shares in a file, for other programs.
    ///
    /// ```swift
    /// StoreServer(AppState.self)
    ///     .keeping(User.self, in: .file("user.json"))
    ///     .main()
    /// ```
    ///
    /// The file has the value as JSON, and null while the module is not started. It is written when
    /// the value has changed, after the action is durable and on a thread of its own; of values
    /// that change faster than the disk takes them, the newest is written. It is replaced as a
    /// whole: a program that reads it finds one value or the other at any time, also after a crash.
    /// The last value is written when the server stops; where the process ended without that, the
    /// next start writes it. A disk that is full or a folder that is gone has a line in the log,
    /// and the next change tries again.
    ///
    /// The store itself is kept in its history, and reads nothing of the file.
    ///
    /// - Parameters:
    ///   - module: whose value it is: a module that has one slice for all sessions. Any other keeps
    ///     the server from starting, as does a path that is given twice.
    ///   - file: where it is kept.
    ///   - origin: where in the program that is decided.
    ///   - line: the line there.
    /// - Returns: the server that keeps one more value.
    public func keeping<M: SharingModule>(
        _ module: M.Type,
        in file: SharedFile,
        origin: String = #fileID,
        line: Int = #line
    ) -> StoreServer {
        keeping(KeptValue(module, in: file, at: "\(origin):\(line)", beginning: nil))
    }

    /// The same, where a store without a history begins with what the file has.
    ///
    /// ```swift
    /// StoreServer(AppState.self)
    ///     .keeping(User.self, in: .file("user.json")) { User.Internal.restored($0) }
    ///     .main()
    /// ```
    ///
    /// The value comes into the store as any other does, by an action: it is dispatched before all
    /// else, has a version and a record, and a replay finds it there without the file. Where
    /// history has begun, or there is no file, nothing is dispatched.
    ///
    /// - Parameters:
    ///   - module: as in ``keeping(_:in:origin:line:)``.
    ///   - file: where it is kept. A file that can't be read as the value keeps the server from
    ///     starting, because the next change would write over it.
    ///   - origin: where in the program that is decided, which the log shows with the action.
    ///   - line: the line there.
    ///   - beginning: makes the action of the value, one of those that the store has.
    /// - Returns: the server that keeps one more value.
    public func keeping<M: SharingModule>(
        _ module: M.Type,
        in file: SharedFile,
        origin: String = #fileID,
        line: Int = #line,
        beginning: @escaping @Sendable (M.SharedValue) -> any Action
    ) -> StoreServer {
        keeping(KeptValue(module, in: file, at: "\(origin):\(line)", beginning: beginning))
    }

    private func keeping(_ value: KeptValue<State>) -> StoreServer {
        var server = self
        server.keptValues.append(value)
        return server
    }
}
