/// What effects and presenters have of the engine. Any thread may make any call.
package protocol EngineAccess: AnyObject, Sendable {
    /// The root state as it is now; an empty value once the Core has stopped.
    func read() async -> any Sendable

    /// The root state as it is now, read on behalf of a session; an empty value once the Core has
    /// stopped.
    func read(as session: String?) async -> any Sendable

    /// Hands an effect's action over, and waits until it is durable. Returns its version.
    func submit(_ action: any Action, from source: ActionSource) async throws -> UInt64

    /// Dispatches an action of the program's own, behind what waits already. `applied` receives the
    /// version that it made; `nil` where it was not applied.
    func dispatchProgramAction(
        _ action: any Action,
        from source: ActionSource,
        applied: (@Sendable (UInt64?) -> Void)?
    )

    /// Why a part of a module may not dispatch an action: it is another module's own. It is
    /// reported as one that is dropped. `nil` where the part may.
    func refuses(_ action: any Action, by module: String, _ source: ActionSource) -> ForeignAction?

    /// Sends a command to the screens of a session.
    func command(_ command: ScreenCommand, from source: ActionSource)

    /// Runs a task where the Core works, behind what waits. Returns `false`, and does not run it,
    /// once the Core has stopped.
    @discardableResult
    func enqueue(_ task: @escaping @Sendable () -> Void) -> Bool

    /// Whether an action belongs to the module of this name.
    func isOwn(_ action: any Action, of module: String) -> Bool
}

/// The engine, for those that it holds itself.
package struct EngineReference: Sendable {
    package private(set) weak var engine: (any EngineAccess)?

    package init(_ engine: (any EngineAccess)? = nil) {
        self.engine = engine
    }
}
