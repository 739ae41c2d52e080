/// An effect on its way to the runner, without the type of its slice.
///
/// Most actions have no effect. This type is a class, so that the result of each action uses only
/// one word of memory for the effect.
package final class AnyEffect: Sendable {
    package let address: SliceAddress
    /// The function that begins the effect. If there is no cause, another engine runs the effect.
    /// The function then begins no work, and only cancels the effects that this effect is to
    /// cancel.
    let launch: @Sendable (EffectRunner, EffectCause?) -> Void
    /// The treatment of the effect if the server ends before the effect.
    let onRestart: RestartPolicy
    /// The changes of the slice's timers. The Core applies these changes in the version of the
    /// action.
    let timerChanges: [TimerChange]
    /// The function that encodes the tasks to run again after a restart; `nil` if there are no such
    /// tasks.
    let encodeKeptWork: (@Sendable (any WorkCodec) throws -> KeptWork?)?

    private init(
        _ address: SliceAddress,
        onRestart: RestartPolicy = .lost,
        timerChanges: [TimerChange] = [],
        encodeKeptWork: (@Sendable (any WorkCodec) throws -> KeptWork?)? = nil,
        launch: @escaping @Sendable (EffectRunner, EffectCause?) -> Void
    ) {
        self.address = address
        self.onRestart = onRestart
        self.timerChanges = timerChanges
        self.encodeKeptWork = encodeKeptWork
        self.launch = launch
    }

    /// Returns an effect that cancels all effects of a slice and then begins `next`. The starts and
    /// stops of slices use this effect.
    static func cancellingAll(
        of address: SliceAddress,
        then next: AnyEffect?
    ) -> AnyEffect {
        AnyEffect(
            address,
            onRestart: next?.onRestart ?? .lost,
            timerChanges: next?.timerChanges ?? [],
            encodeKeptWork: next?.encodeKeptWork
        ) { runner, cause in
            runner.cancelAll(of: address)
            next?.launch(runner, cause)
        }
    }

    convenience init<State: Sendable>(
        _ effect: Effect<State>,
        at address: SliceAddress,
        read: @escaping @Sendable (any Sendable) -> State?
    ) {
        let onRestart = effect.onRestart
        let kept: (@Sendable (any WorkCodec) throws -> KeptWork?)? =
            onRestart == .retried ? { @Sendable codec in try KeptWork(effect, codec) } : nil
        self.init(
            address,
            onRestart: onRestart,
            timerChanges: effect.timerChanges,
            encodeKeptWork: kept
        ) { runner, cause in
            guard let cause else { return runner.performCancellations(of: effect, at: address) }
            let origin = EffectOrigin(address: address, cause: cause, readSlice: read)
            if onRestart == .lost {
                runner.launch(effect, origin)
            } else {
                runner.launchDurable(effect, origin)
            }
        }
    }

    /// - Returns: the effect for the slice in `place`; `nil` if the effect does nothing.
    package convenience init?<Root, State: ModuleState>(
        _ effect: Effect<State>,
        at address: SliceAddress,
        in place: some SlicePlace<Root, State>
    ) {
        guard !effect.isNone else { return nil }
        self.init(effect, at: address) { root in
            (root as? Root).flatMap { place.read($0, address.key) }
        }
    }
}

/// The slice that an effect works for, and the action that the effect follows.
struct EffectOrigin<State: Sendable>: Sendable {
    let address: SliceAddress
    var cause: EffectCause
    /// The function that returns the slice in a root state; `nil` if the slice does not exist.
    let readSlice: @Sendable (any Sendable) -> State?
}

/// The action that an effect follows.
package struct EffectCause: Sendable {
    package let version: UInt64
    /// The watch that signals the end of all consequences; `nil` if no client waits.
    package var watch: EffectWatch?
    /// The session that dispatched the action; `nil` if no client with a session did.
    package var session: String?
    /// The principal that dispatched the action; `nil` if no principal did.
    package var principal: ActionPrincipal?
    /// The wire name of the action, with `{id}` in place of an instance's id.
    package let wireNameTemplate: String
    /// The trace of the action; `nil` if the action has no trace.
    package var trace: String?

    /// Returns the origin of an action that follows this action. The token belongs to the effect
    /// that dispatches the new action.
    func makeActionSource(
        _ place: String,
        _ token: EffectToken? = nil,
        _ watch: EffectWatch? = nil
    ) -> ActionSource {
        ActionSource(
            cause: version,
            sourceLocation: place,
            token: token,
            session: session,
            principal: principal,
            trace: token?.trace ?? trace,
            watch: watch
        )
    }
}
