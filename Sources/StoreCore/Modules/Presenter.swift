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

    /// The slice has changed; `nil` stands for a slice that is not started. The first call, when the
    /// store begins, has no old one.
    func stateDidUpdate(from old: State?, to new: State?, _ context: PresenterContext)
}

/// What a presenter may do.
public struct PresenterContext: Sendable {
    /// The presenter's name, under which it is told of changes: its type's.
    let name: String
    let submit: @Sendable (any Action, String, Audience?) -> Void

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
        submit(action, "\(file):\(line)", Audience(recipients, emitter: name))
    }
}

extension Mount {
    /// The same module, with a presenter for its slice.
    public func presented<P: Presenter>(by presenter: P) -> Mount {
        var mount = self
        mount.presenters.append(
            BoundPresenter(name: "\(P.self)") { changes, core, slice, context in
                guard let place = slice.place(of: P.State.self) as? SlicePlace<Root, P.State> else {
                    return
                }
                _ = changes.observe(slice.name, nil, place, core, as: context.name) { old, new in
                    presenter.stateDidUpdate(from: old, to: new, context)
                }
            }
        )
        return mount
    }
}

/// A presenter with what it takes to attach it to a Core.
struct BoundPresenter<Root: RootState>: Sendable {
    let name: String
    let attach:
        @Sendable (SliceChanges<Root>, Core<Root>, any Slice<Root>, PresenterContext) -> Void
}
