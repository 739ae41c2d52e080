/// The part of the engine that effects and presenters use. Any thread may make any call.
package protocol EngineAccess: AnyObject, Sendable {
    /// Returns the current root state; an empty value if the Core has stopped.
    func read() async -> any Sendable

    /// Returns the current root state, read on behalf of a session; an empty value if the Core has
    /// stopped.
    func read(as session: String?) async -> any Sendable

    /// Submits an effect's action, and waits until it is durable. Returns its version.
    func submit(_ action: any Action, from source: ActionSource) async throws -> UInt64

    /// Dispatches an action of the program itself, behind the waiting items. `applied` receives the
    /// version that the action made; `nil` if it was not applied.
    func dispatchProgramAction(
        _ action: any Action,
        from source: ActionSource,
        applied: (@Sendable (UInt64?) -> Void)?
    )

    /// Returns an error if the action is another module's own, and reports the action as dropped.
    /// Returns `nil` if a part of this module may dispatch it.
    func refuses(_ action: any Action, by module: String, _ source: ActionSource) -> ForeignAction?

    /// Sends a command to the screens of a session.
    func command(_ command: ScreenCommand, from source: ActionSource)

    /// Runs a task on the thread that does the Core's work, behind the waiting items. Returns
    /// `false`, without running the task, if the Core has stopped.
    @discardableResult
    func enqueue(_ task: @escaping @Sendable () -> Void) -> Bool

    /// True if an action belongs to the module with this name.
    func isOwn(_ action: any Action, of module: String) -> Bool
}

/// A weak reference to the engine, for objects that the engine owns.
package struct EngineReference: Sendable {
    package private(set) weak var engine: (any EngineAccess)?

    package init(_ engine: (any EngineAccess)? = nil) {
        self.engine = engine
    }
}
