/// A value that gets the changes of one module's slice, and turns them into actions for other
/// modules.
///
/// ```swift
/// struct HomePresenter: Presenter {
///     typealias State = Home.State
///
///     func stateDidUpdate(from old: State?, to new: State?, _ context: PresenterContext) {
///         guard let title = new?.selected, title != old?.selected else { return }
///         context.dispatch(MovieCard.start(.init(title: title)))
///     }
/// }
/// ```
///
/// A presenter runs on the thread that does the Core's work, after the commit. So a presenter only
/// reads the slice and dispatches; all other work belongs in effects. A presenter may dispatch the
/// ``Module/UI`` and ``Module/Internal`` actions of its own module. UI and internal actions of
/// other modules are dropped, and the log has an error.
public protocol Presenter<State>: Sendable {
    /// The slice whose changes the presenter gets.
    associatedtype State: ModuleState

    /// The module that the root state has to mount for this presenter; `nil` by default.
    static var neededModule: (any ModuleInterface.Type)? { get }

    /// Reacts to a change of the slice; `nil` stands for a slice that is not started. In the first
    /// call, when the store begins, `old` is `nil`.
    ///
    /// If the module has instances or a slice for each session, the function is called separately
    /// for each slice. ``PresenterContext/session`` and ``PresenterContext/instance`` name the
    /// slice.
    func stateDidUpdate(from old: State?, to new: State?, _ context: PresenterContext)
}

extension Presenter {
    /// No module.
    public static var neededModule: (any ModuleInterface.Type)? { nil }
}

/// The context of a presenter: the slice that changed, and the functions to act on it.
public struct PresenterContext: Sendable {
    /// The name under which the presenter observes: the name of its type.
    package let name: String
    package let presenterType: any Presenter.Type
    /// The name of the module whose slice the presenter observes. The presenter may dispatch this
    /// module's own actions. The name is `nil` for a presenter of the whole state.
    package var module: String?
    /// The action whose change the presenter gets.
    var cause = SliceChangeOrigin.storeStart(for: nil)
    /// The session to present to: the session of the slice or of the action, or the shared session
    /// for an action without a session. The value is `nil` if no client caused the change, as when
    /// a store begins.
    package var targetSession: String? { cause.session }
    /// The principal that dispatched the action whose change the presenter gets; `nil` if no
    /// principal did.
    public var principal: ActionPrincipal? { cause.sender?.principal }
    /// The session that owns the slice; `nil` if the slice is shared.
    public internal(set) var session: String?
    /// The id of the instance that owns the slice; `nil` if the module has no instances.
    public internal(set) var instance: String?
    /// The engine of the Core that the presenter observes; `nil` after the Core was released.
    package weak let engine: Engine?

    /// Dispatches an action. The log shows the action with the version that led to it, and with the
    /// source location of the call. This presenter does not get the changes of the action.
    public func dispatch(_ action: any Action, file: String = #fileID, line: Int = #line) {
        dispatch(action, for: .allExcept([ExactText(name)]), file: file, line: line)
    }

    /// Dispatches an action. Only `audience` gets the change.
    package func dispatch(_ action: any Action, for audience: Audience?, file: String, line: Int) {
        var source = source("\(file):\(line)")
        source.audience = audience
        engine?.send(action, by: module, from: source)
    }
}

extension PresenterContext {
    /// Sends a command to the screens of the session, for instance to scroll, or to give a field
    /// the focus. The screens execute the command once, and the command is no part of the state.
    ///
    /// ```swift
    /// if new.messages.count > old.messages.count { context.command("scrollToEnd") }
    /// ```
    ///
    /// Each open stream `/route/events` of the session gets the command, after the change that led
    /// to the command. A client that opens its stream later does not get the command. A client that
    /// is too far behind misses the command, and `/metrics` counts missed commands. If no client
    /// caused the change, as when a store begins, no command is sent.
    ///
    /// - Parameters:
    ///   - name: the name of the command.
    ///   - payload: the data for the screens; `nil` for a command without data.
    ///   - file: the file of the call, for the log.
    ///   - line: the line of the call.
    public func command(
        _ name: String,
        _ payload: (any Encodable & Sendable)? = nil,
        file: String = #fileID,
        line: Int = #line
    ) {
        guard let session = session ?? targetSession else { return }
        engine?.sendCommand(name, payload, for: session, from: source("\(file):\(line)"))
    }

    /// Returns the origin of a dispatch: the source location of the call, and the action that led
    /// to the dispatch.
    package func source(_ place: String) -> ActionSource {
        ActionSource(
            cause: cause.version,
            sourceLocation: place,
            session: session ?? targetSession,
            principal: cause.sender?.principal,
            trace: cause.sender?.trace,
            watch: cause.watch
        )
    }
}

extension Mount {
    /// Returns the same module, with a presenter for its slice.
    public func presented<P: Presenter>(by presenter: P) -> Mount {
        presented(by: presenter, named: "\(P.self)", needsStartableSlice: false)
    }

    /// Returns the same module, with a presenter that observes under the given name.
    ///
    /// `needsStartableSlice` is true if the presenter works only for a slice that is started and
    /// stopped. A store does not start if such a presenter observes a slice that always exists.
    package func presented<P: Presenter>(
        by presenter: P,
        named name: String,
        needsStartableSlice: Bool
    ) -> Mount {
        var mount = self
        let place = place(of: P.State.self)
        mount.presenters.append(
            BoundPresenter(
                name: name,
                type: P.self,
                matchesSliceType: place != nil,
                needsStartableSlice: needsStartableSlice
            ) { [module = self.name] changes, core, context in
                guard let place else { return }
                _ = changes.observe(
                    module,
                    nil,
                    place,
                    core,
                    as: context.name,
                    isPresenter: true
                ) { change in
                    var context = context
                    context.cause = change.cause
                    context.session = change.key.session
                    context.instance = change.key.instance
                    presenter.stateDidUpdate(from: change.old, to: change.new, context)
                }
            }
        )
        return mount
    }
}

/// A presenter, with a function that attaches the presenter to a Core.
struct BoundPresenter<Root: RootState>: Sendable {
    let name: String
    let type: any Presenter.Type
    /// True if the presenter's state type is the type of the module's slice.
    let matchesSliceType: Bool
    /// True if the presenter works only for a slice that is started and stopped.
    let needsStartableSlice: Bool
    let attach: @Sendable (SliceObservers<Root>, Core<Root>, PresenterContext) -> Void
}

/// A presenter of the whole state, with its context in a Core.
struct WholeStatePresenter<Root: RootState>: Sendable {
    let name: String
    private let update: @Sendable (Root?, Root, SliceChangeOrigin) -> Void

    /// - Parameters:
    ///   - presenter: the presenter.
    ///   - context: the context of the presenter's calls, with the presenter's name.
    ///   - hasOwnedSlices: true if slices have owners. The context then gets the session of each
    ///     action.
    init<P: Presenter<Root>>(_ presenter: P, _ context: PresenterContext, hasOwnedSlices: Bool) {
        name = context.name
        update = { old, new, cause in
            var context = context
            context.cause = cause
            if hasOwnedSlices { context.session = cause.session }
            presenter.stateDidUpdate(from: old, to: new, context)
        }
    }

    /// Reports the change of an action, if this engine applied the action and the presenter belongs
    /// to the action's audience.
    func reportChange(_ old: Root, _ new: Root, _ cause: SliceChangeOrigin) {
        guard !cause.isOfOtherEngine, cause.audience?.includes(name) != false else { return }
        update(old, new, cause)
    }

    /// Reports the state that the store begins with.
    func reportInitialState(_ root: Root) { update(nil, root, .storeStart(for: nil)) }
}

/// An object that decides which modules are presented to which sessions.
///
/// The engine does not implement this protocol: a module of the root state supplies the object
/// (``PresentingModule``).
package protocol Presentation: AnyObject, Sendable {}

/// The presentation of a root state, with the functions that the engine calls.
package protocol RootPresentation<Root>: Presentation {
    associatedtype Root: RootState

    /// Refuses a view's action from a session to which the module is not presented.
    func admitViewAction(_ module: Int, _ key: SliceKey, from session: String?, in root: Root)
        throws(Refusal)

    /// Returns true if a session does not show a slice. If such a session starts the slice, the
    /// presenters get the slice as a new slice, even if the slice was started already.
    func isHidden(_ edit: SliceEdit, from session: String, in root: Root) -> Bool

    /// Returns a function that maps the key of a slice to the session to which the slice is
    /// presented, or to `nil`. The function is called when the store begins, for each slice of the
    /// module.
    func makeInitialSessionLookup(of module: Int, in root: Root) -> (SliceKey) -> String?
}

/// A module that supplies the presentation of all modules. A root state has at most one such
/// module.
package protocol PresentingModule<State>: Module {
    /// Makes the presentation of these modules; `place` is the place of this module's slice. The
    /// effects of the store get the same `dependencies` as the presentation.
    func presentation<Root: RootState>(
        of modules: Root.Modules,
        at place: SinglePlace<Root, State>,
        _ dependencies: Dependencies
    ) -> any RootPresentation<Root>
}
