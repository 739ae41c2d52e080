/// Decides to which clients' sessions modules are presented.
///
/// The engine has none of its own: a module of the root state brings one (``PresentingModule``).
package protocol Presentation: AnyObject, Sendable {}

/// What the engine asks of the presentation of a root state.
package protocol RootPresentation<Root>: Presentation {
    associatedtype Root: RootState

    /// Refuses a view's action in a session that the module is not presented to.
    func admit(_ module: Int, _ key: SliceKey, from session: String?, in root: Root)
        throws(Refusal)

    /// Whether a session has begun and not ended.
    func isOpen(_ session: String, in root: Root) -> Bool

    /// Whether a session does not show a slice. For it the slice begins when the session starts it,
    /// although it was started already.
    func isHidden(_ touch: Touch, from session: String, in root: Root) -> Bool

    /// The session that each slice of a module is presented to when the store begins; `nil` for
    /// none.
    func firstAudience(of module: Int, in root: Root) -> (SliceKey) -> String?
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
