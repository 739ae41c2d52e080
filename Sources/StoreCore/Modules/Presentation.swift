/// Decides to which clients' sessions modules are presented.
///
/// The engine has none of its own: a module of the root state brings one (``PresentingModule``).
package protocol Presentation: AnyObject, Sendable {}

/// What the engine asks of the presentation of a root state.
package protocol RootPresentation<Root>: Presentation {
    associatedtype Root: RootState

    /// Refuses a view's action in sessions that the module is not presented to.
    func admit(_ module: Int, _ instance: String?, from sessions: [String], in root: Root)
        throws(Refusal)

    /// The sessions that presenters present to after an action of these sessions.
    func audience(of sessions: [String]) -> [String]

    /// Those of these sessions that do not show a module. For them the module begins when they
    /// start it, although it was started already.
    func sessions(_ sessions: [String], notShowing module: Int, in root: Root) -> [String]

    /// The sessions that a module is presented to when the store begins.
    func firstAudience(of module: Int, in root: Root) -> [String]
}

/// A module that decides to which sessions the others are presented; at most one of a root state.
package protocol PresentingModule<State>: Module {
    /// The presentation of these modules, where this one's slice lies at `place`. Presenters get
    /// the dependencies of the store's effects.
    func presentation<Root: RootState>(
        of modules: Root.Modules,
        at place: SlicePlace<Root, State>,
        _ dependencies: Dependencies
    ) -> any RootPresentation<Root>
}
