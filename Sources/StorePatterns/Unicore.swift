public import StoreCore

// The forms of Unicore that StoreCore has under one name only.

extension Core {
    /// Adds middleware of the form that Unicore has: it returns no work for the time after the
    /// commit. See ``/StoreCore/Core/add(middleware:)``.
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

    /// Adds middleware; this is another name that Unicore has for `add(middleware:)`.
    ///
    /// - Returns: the command that removes the middleware.
    @discardableResult
    public func onAction(
        execute: @escaping @Sendable (_ old: State, _ action: any Action) -> Void
    ) -> PlainCommand { add(middleware: execute) }
}

extension Command {
    /// Runs the command on the caller's thread; Unicore has this name for `command(with:)`.
    public func execute(with value: Value) { self(with: value) }
}
