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
/// If a presenter does no more than this, use `.presented()` instead.
///
/// A session may dispatch the module's ``/StoreCore/Module/UI`` actions only if its route has the
/// view. The view of an instance has the name of the module's view and the id, `cards/7`. A session
/// may also dispatch the actions of an instance if its route has the view of the module, `cards`.
/// The root state has to mount ``Sessions``.
public protocol ViewPresenter: Presenter {
    /// The name under which the view is presented. An empty name, the default, stands for the name
    /// of the module that the presenter is mounted with.
    static var view: String { get }
}

extension ViewPresenter {
    /// An empty name, for the name of the module.
    public static var view: String { "" }

    /// Returns the name of the view, if the presenter is mounted with a module.
    static func view(of module: String) -> String { view.isEmpty ? module : view }

    /// The module ``Sessions``, because views are presented to sessions.
    public static var neededModule: (any ModuleInterface.Type)? { Sessions.self }
}
