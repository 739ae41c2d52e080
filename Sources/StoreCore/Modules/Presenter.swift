/// Reacts to the changes of a module's slice, and may dispatch: this is how one module's state leads
/// to what another one does.
///
/// ```swift
/// struct HomePresenter: Presenter {
///     func stateDidUpdate(from old: Home.State?, to new: Home.State?, _ context: PresenterContext) {
///         guard let title = new?.selected, title != old?.selected else { return }
///         context.dispatch(MovieCard.start(.init(title: title)))
///     }
/// }
/// ```
///
/// It runs where the Core works, after the commit, so it only decides; work belongs in effects.
public protocol Presenter<State>: Sendable {
    /// The slice that it reacts to.
    associatedtype State: ModuleState

    /// The view that shows the slice, by the name under which it presents it; `nil` where the slice has
    /// none. What the module's views say is taken from sessions that show it alone.
    static var view: String? { get }

    /// The slice has changed; `nil` stands for a slice that is not started. The first call, when the
    /// store begins, has no old one.
    func stateDidUpdate(from old: State?, to new: State?, _ context: PresenterContext)
}

extension Presenter {
    /// None.
    public static var view: String? { nil }
}

/// What a presenter may do.
public struct PresenterContext: Sendable {
    /// The presenter's name, under which it is told of changes: its type's.
    let name: String
    /// The action whose change the presenter is shown.
    var cause = SliceCause.start(for: [])
    /// The sessions that it came from; the shared one for an action of no session.
    var sessions: [String] { cause.sessions }
    let routes: RouteWatch
    /// Runs something where the Core works.
    let work: @Sendable (@escaping @Sendable () -> Void) -> Void
    let submit: @Sendable (any Action, ActionSource, (@Sendable (UInt64?) -> Void)?) -> Void

    /// Dispatches an action. The log shows it with the version that led to it, and the place of the
    /// call.
    ///
    /// - Parameter recipients: who is told of what it changes; not the presenter itself, where nothing
    ///   is said.
    public func dispatch(
        _ action: any Action,
        recipients: Recipients = .allExcludingEmitter,
        file: String = #fileID,
        line: Int = #line
    ) {
        var source = source("\(file):\(line)")
        source.audience = Audience(recipients, emitter: name)
        submit(action, source, nil)
    }
}

extension PresenterContext {
    /// Pushes views on the stacks of those who asked, and pops them.
    public var navigation: RouteContext { context(.push) }
    /// Presents views before all else to those who asked, and dismisses them.
    public var modal: RouteContext { context(.modal) }
    /// Presents views to those who asked in place of all else.
    public var window: RouteContext { context(.root) }

    /// Takes a view off every session's route: what it showed is gone.
    public func withdraw(_ view: String, file: String = #fileID, line: Int = #line) {
        submit(Sessions.Internal.withdrawn(view: view), source("\(file):\(line)"), nil)
    }

    private func context(_ style: PresentationStyle) -> RouteContext {
        RouteContext(style: style, sessions: sessions) { action, completion in
            // No client asked, as when a store begins.
            guard !sessions.isEmpty else {
                completion?(.shown)
                return
            }
            submit(action, source("StoreCore/\(name)")) { version in
                guard let completion else { return }
                let report: RouteCompletion = { outcome in work { completion(outcome) } }
                guard let version else { return report(.dropped) }
                routes.wait(for: sessions, toShow: version, report)
            }
        }
    }

    fileprivate func source(_ place: String) -> ActionSource {
        var source = ActionSource(cause: cause.version, place: place)
        source.sessions = sessions
        source.watch = cause.watch
        return source
    }
}

extension Mount {
    /// The same module, with a presenter for its slice.
    public func presented<P: Presenter>(by presenter: P) -> Mount {
        var mount = self
        mount.presenters.append(
            BoundPresenter(name: "\(P.self)", view: P.view) { changes, core, slice, context in
                guard let place = slice.place(of: P.State.self) as? SlicePlace<Root, P.State> else {
                    return
                }
                _ = changes.observe(
                    slice.name,
                    nil,
                    place,
                    core,
                    as: context.name,
                    presents: true
                ) { change in
                    var context = context
                    context.cause = change.cause
                    presenter.stateDidUpdate(from: change.old, to: change.new, context)
                }
            }
        )
        return mount
    }
}

/// A presenter with what it takes to attach it to a Core.
struct BoundPresenter<Root: RootState>: Sendable {
    let name: String
    let view: String?
    let attach:
        @Sendable (SliceChanges<Root>, Core<Root>, any Slice<Root>, PresenterContext) -> Void
}
