public import StoreCore

/// A presenter of a module that a view shows.
///
/// ```swift
/// struct HomePresenter: ViewPresenter {
///     func stateDidUpdate(
///         from old: Home.State?,
///         to new: Home.State?,
///         _ context: PresenterContext
///     ) {
///         if old == nil, new != nil { context.navigation.present() }
///         if old != nil, new == nil { context.withdraw() }
///     }
/// }
/// ```
///
/// Where that is all that it does, `.presented()` stands for it.
///
/// The module's ``/StoreCore/Module/UI`` actions are taken from sessions whose route has the view,
/// and refused from all others. The view of an instance is that name and the id, `cards/7`; its
/// actions are taken where the route has it, or the view of the module, `cards`. The root state has
/// to mount ``Sessions``.
public protocol ViewPresenter: Presenter {
    /// The name under which the view is presented. Empty, as by default, it stands for the name of
    /// the module that the presenter is mounted with.
    static var view: String { get }
}

extension ViewPresenter {
    /// The module's name.
    public static var view: String { "" }

    /// The name of the view where the presenter is mounted with a module.
    static func view(of module: String) -> String { view.isEmpty ? module : view }

    /// Views are presented to sessions.
    public static var neededModule: (any ModuleInterface.Type)? { Sessions.self }
}
