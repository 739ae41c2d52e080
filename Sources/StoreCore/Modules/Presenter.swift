/// Reacts to the changes of a module's slice, and may dispatch: this is how one module's state
/// leads to what another one does.
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
/// It runs where the Core works, after the commit, so it only decides; work belongs in effects.
/// It may dispatch the ``Module/UI`` and ``Module/Internal`` actions of the module that it
/// presents, and no other one's: these are dropped, and the log has an error.
public protocol Presenter<State>: Sendable {
    /// The slice that it reacts to.
    associatedtype State: ModuleState

    /// The module that the root state has to mount for this presenter; none by default.
    static var neededModule: (any ModuleInterface.Type)? { get }

    /// The slice has changed; `nil` stands for a slice that is not started. The first call, when
    /// the store begins, has no old one.
    ///
    /// Where each session has a slice, or the module has instances, it is called for each slice by
    /// itself; ``PresenterContext/session`` and ``PresenterContext/instance`` say which.
    func stateDidUpdate(from old: State?, to new: State?, _ context: PresenterContext)
}

extension Presenter {
    /// None.
    public static var neededModule: (any ModuleInterface.Type)? { nil }
}

/// What a presenter may do.
public struct PresenterContext: Sendable {
    /// The presenter's name, under which it observes: its type's.
    package let name: String
    /// The presenter's type.
    package let presenter: any Presenter.Type
    /// The module whose slice it presents, and whose own actions it may dispatch; `nil` for one of
    /// the program itself.
    package var module: String?
    /// The action whose change the presenter is shown.
    var cause = SliceCause.start(for: nil)
    /// The session that it presents to: that of the slice, or of the action; the shared one for an
    /// action of no session. `nil` where no client asked, as when a store begins.
    package var audience: String? { cause.session }
    /// The session whose slice it is; `nil` where the slice is shared.
    public internal(set) var session: String?
    /// The instance whose slice it is; `nil` where the module has none.
    public internal(set) var instance: String?
    /// Decides to which sessions it presents; `nil` where the root state has no sessions.
    package let presentation: (any Presentation)?
    /// The Core that it observes.
    package let access: EngineReference

    /// Dispatches an action. The log shows it with the version that led to it, and the place of the
    /// call. The presenter itself is not shown what it changes.
    public func dispatch(_ action: any Action, file: String = #fileID, line: Int = #line) {
        dispatch(action, for: .allExcept([ExactText(name)]), file: file, line: line)
    }

    /// Dispatches an action whose change is for some observers alone.
    package func dispatch(_ action: any Action, for audience: Audience?, file: String, line: Int) {
        var source = source("\(file):\(line)")
        source.audience = audience
        guard let engine = access.engine else { return }
        if let module, engine.refuses(action, by: module, source) != nil { return }
        engine.dispatchProgramAction(action, from: source, applied: nil)
    }
}

extension PresenterContext {
    /// Has the screens of the session that it presents to do something once: to scroll, to give a
    /// field the focus. It is no part of the state.
    ///
    /// ```swift
    /// if new.messages.count > old.messages.count { context.command("scrollToEnd") }
    /// ```
    ///
    /// Each stream `/route/events` of the session that is open gets it, behind the change that led
    /// to it. A client that comes later does not, nor does one that is too far behind; `/metrics`
    /// counts those. Where no client asked, as when a store begins, nothing is sent.
    public func command(_ name: String, file: String = #fileID, line: Int = #line) {
        send(name, nil, "\(file):\(line)")
    }

    /// The same, with what the screens need for it.
    public func command(
        _ name: String,
        _ payload: some Encodable & Sendable,
        file: String = #fileID,
        line: Int = #line
    ) {
        send(name, payload, "\(file):\(line)")
    }

    private func send(_ name: String, _ payload: (any Encodable & Sendable)?, _ place: String) {
        guard let session = session ?? audience else { return }
        access.engine?.command(ScreenCommand(name, payload, for: session), from: source(place))
    }

    /// The place in the program that dispatches, with what led to it.
    package func source(_ place: String) -> ActionSource {
        var source = ActionSource(cause: cause.version, place: place)
        source.session = session ?? audience
        source.principal = cause.sender?.principal
        source.trace = cause.sender?.trace
        source.watch = cause.watch
        return source
    }
}

extension Mount {
    /// The same module, with a presenter for its slice.
    public func presented<P: Presenter>(by presenter: P) -> Mount {
        presented(by: presenter, named: "\(P.self)", needsStart: false)
    }

    /// The same for a presenter that observes under another name than its type's; `needsStart`
    /// where it does nothing for a slice that is always there, which a start refuses.
    package func presented<P: Presenter>(
        by presenter: P,
        named name: String,
        needsStart: Bool
    ) -> Mount {
        var mount = self
        mount.presenters.append(
            BoundPresenter(
                name: name,
                type: P.self,
                needsStart: needsStart
            ) { changes, core, slice, context in
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
                    context.session = change.key.session
                    context.instance = change.key.instance
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
    let type: any Presenter.Type
    /// Whether it does nothing for a slice that is always there.
    let needsStart: Bool
    let attach:
        @Sendable (SliceChanges<Root>, Core<Root>, any Slice<Root>, PresenterContext) -> Void
}
