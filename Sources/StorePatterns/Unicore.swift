public import StoreCore

// The functions of Unicore for which StoreCore has a function of another name or type.

extension Core {
    /// Adds middleware that returns no work for the time after the commit, as in Unicore. See
    /// ``/StoreCore/Core/add(middleware:)``.
    ///
    /// - Returns: the command that removes the middleware.
    @discardableResult
    public func add(
        middleware: @escaping @Sendable (_ old: State, _ action: any Action) -> Void
    ) -> PlainCommand {
        add(middleware: { state, action, _ in
            middleware(state, action)
            return nil
        })
    }

    /// Adds middleware, like `add(middleware:)`. Unicore has both names.
    ///
    /// - Returns: the command that removes the middleware.
    @discardableResult
    public func onAction(
        execute: @escaping @Sendable (_ old: State, _ action: any Action) -> Void
    ) -> PlainCommand { add(middleware: execute) }
}

extension Command {
    /// Runs the command on the caller's thread, like `command(with:)`. Unicore has this name for
    /// the call.
    public func execute(with value: Value) { self(with: value) }
}
