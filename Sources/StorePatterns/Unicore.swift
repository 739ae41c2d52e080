public import StoreCore

// The forms of Unicore that StoreCore has under one name only.

extension Core {
    /// Adds middleware without work for the time after the commit, in the form of Unicore; see
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

    /// Adds middleware; this is its other name in Unicore.
    ///
    /// - Returns: the command that removes the middleware.
    @discardableResult
    public func onAction(
        execute: @escaping @Sendable (_ old: State, _ action: any Action) -> Void
    ) -> PlainCommand { add(middleware: execute) }
}

extension Command {
    /// Runs the command on the caller's thread; this is the name in Unicore of `command(with:)`.
    public func execute(with value: Value) { self(with: value) }
}
