/// An object that decides to which clients' sessions modules are presented.
///
/// The engine has no implementation: a module of the root state supplies it (``PresentingModule``).
package protocol Presentation: AnyObject, Sendable {}

/// The presentation of a root state, as the engine calls it.
package protocol RootPresentation<Root>: Presentation {
    associatedtype Root: RootState

    /// Refuses a view's action from a session to which the module is not presented.
    func admit(_ module: Int, _ key: SliceKey, from session: String?, in root: Root)
        throws(Refusal)

    /// True if a session has begun and not ended.
    func isOpen(_ session: String, in root: Root) -> Bool

    /// True if a session does not show a slice. If this session starts the slice, its presenters
    /// get the slice as a new one, even if it was started before.
    func isHidden(_ touch: SliceEdit, from session: String, in root: Root) -> Bool

    /// Returns a function that is called when the store begins, with the key of each slice of a
    /// module. The function returns the session to which the slice is presented; `nil` for none.
    func firstAudience(of module: Int, in root: Root) -> (SliceKey) -> String?
}

/// A module that supplies the presentation of all modules. A root state has at most one.
package protocol PresentingModule<State>: Module {
    /// Makes the presentation of these modules; `place` is the place of this module's slice. The
    /// dependencies are those that the effects of the store get.
    func presentation<Root: RootState>(
        of modules: Root.Modules,
        at place: SlicePlace<Root, State>,
        _ dependencies: Dependencies
    ) -> any RootPresentation<Root>
}
