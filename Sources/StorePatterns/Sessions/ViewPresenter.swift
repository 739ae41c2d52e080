public import StoreCore

/// A presenter of a module that a view shows.
///
/// ```swift
/// struct HomePresenter: ViewPresenter {
///     typealias State = Home.State
///     static let view = "home"
///
///     func stateDidUpdate(from old: State?, to new: State?, _ context: PresenterContext) {
///         if old == nil, new != nil { context.navigation.present("home") }
///         if old != nil, new == nil { context.withdraw("home") }
///     }
/// }
/// ```
///
/// The module's ``/StoreCore/Module/UI`` actions are taken from sessions whose route has the view,
/// and refused from all others. The root state has to mount ``Sessions``.
public protocol ViewPresenter: Presenter {
    /// The name under which the view is presented.
    static var view: String { get }
}

extension ViewPresenter {
    /// Views are presented to sessions.
    public static var neededModule: (any ModuleInterface.Type)? { Sessions.self }
}
