public import StoreCore

/// A presenter of a module that has a view. The presenter puts the view on the routes of sessions.
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
/// If a presenter has no other tasks, use `.presented()` instead.
///
/// A session may dispatch the module's ``/StoreCore/Module/UI`` actions only if the session's route
/// has the view. The name of an instance's view is the name of the module's view with the id, such
/// as `cards/7`. A session may also dispatch the actions of an instance if the session's route has
/// the module's view, `cards`. The root state has to mount ``Sessions``.
public protocol ViewPresenter: Presenter {
    /// The name under which the view is presented. An empty name, the default, stands for the name
    /// of the module that the presenter is mounted with.
    static var view: String { get }
}

extension ViewPresenter {
    /// The default: an empty name, which stands for the name of the module.
    public static var view: String { "" }

    static func view(of module: String) -> String { view.isEmpty ? module : view }

    /// The module ``Sessions``, because the routes of sessions contain the presented views.
    public static var neededModule: (any ModuleInterface.Type)? { Sessions.self }
}

extension Mount {
    /// Returns the same module with a presenter that presents the module's view while the slice
    /// exists.
    ///
    /// ```swift
    /// Home().at(\.home).presented()
    /// ```
    ///
    /// The view is presented to the session that starts the slice. The view has the name of the
    /// module, followed by the id of an instance: `cards/7`. When the slice ends, the view is
    /// removed. A store does not start if the slice of this module always exists.
    ///
    /// - Parameter style: the style in which the view is presented.
    /// - Returns: the module with that presenter.
    public func presented(as style: PresentationStyle = .push) -> Mount {
        if let module { return presented(module, style) }
        // A field has no module and always exists. So a store does not start if a field has this
        // presenter.
        let view = SliceViewPresenter<Sessions.State>(style: style)
        return presented(by: view, named: "presented", needsStartableSlice: true)
    }

    private func presented<M: Module>(_ module: M, _ style: PresentationStyle) -> Mount {
        presented(
            by: SliceViewPresenter<M.State>(style: style),
            named: "presented",
            needsStartableSlice: true
        )
    }
}

/// A presenter that presents the view of a slice while the slice exists.
private struct SliceViewPresenter<State: ModuleState>: ViewPresenter {
    let style: PresentationStyle

    func stateDidUpdate(from old: State?, to new: State?, _ context: PresenterContext) {
        if old == nil, new != nil { context.navigator(style).present() }
        if old != nil, new == nil { context.withdraw() }
    }
}
