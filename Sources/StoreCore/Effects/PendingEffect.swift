/// An effect on its way to the runner, without its types.
///
/// An object, because most actions have none: the place for one is a single word, in each result
/// from the reducer to the commit.
package final class PendingEffect: Sendable {
    package let address: SliceAddress
    /// Begins the work. Without a cause, another engine does that, and what the work cancels when
    /// it begins is cancelled here.
    let launch: @Sendable (EffectRunner, EffectCause?) -> Void
    /// What becomes of it when the server ends before it does.
    let onRestart: RestartPolicy
    /// Encodes what is to run again on a restart; `nil` if nothing is.
    let kept: (@Sendable (any WorkCodec) throws -> KeptWork?)?

    private init(
        _ address: SliceAddress,
        onRestart: RestartPolicy = .lost,
        kept: (@Sendable (any WorkCodec) throws -> KeptWork?)? = nil,
        launch: @escaping @Sendable (EffectRunner, EffectCause?) -> Void
    ) {
        self.address = address
        self.onRestart = onRestart
        self.kept = kept
        self.launch = launch
    }

    /// For a slice that begins or ends: cancels all effects of the slice, and then begins `next`.
    static func cancellingAll(
        of address: SliceAddress,
        then next: PendingEffect?
    ) -> PendingEffect {
        PendingEffect(
            address,
            onRestart: next?.onRestart ?? .lost,
            kept: next?.kept
        ) { runner, cause in
            runner.cancel(all: address)
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
        self.init(address, onRestart: onRestart, kept: kept) { runner, cause in
            guard let cause else { return runner.cancelOnly(effect, at: address) }
            if onRestart == .lost {
                runner.launch(effect, at: address, cause, read)
            } else {
                runner.launchKept(effect, at: address, cause, read)
            }
        }
    }

    /// - Returns: `nil` where there is nothing to be done.
    package convenience init?<Root, State>(
        _ effect: Effect<State>,
        at address: SliceAddress,
        in place: SlicePlace<Root, State>
    ) {
        guard !effect.isNone else { return nil }
        self.init(effect, at: address) { root in
            (root as? Root).flatMap { place.read($0, address.key) }
        }
    }
}

/// Which action an effect follows.
package struct EffectCause: Sendable {
    /// The action's version.
    package let version: UInt64
    /// Shows the end of all that follows; `nil` where no client waits for it.
    package let watch: EffectWatch?
    /// The session that dispatched it; `nil` where no client with a session did.
    package let session: String?
    /// The principal that dispatched it; `nil` where none did.
    package let principal: ActionPrincipal?
    /// The action's wire name, without the instance that it was for.
    package let type: String
    /// The trace that it is a part of; `nil` where its request named none.
    package let trace: String?

    package init(
        version: UInt64,
        watch: EffectWatch? = nil,
        session: String? = nil,
        principal: ActionPrincipal? = nil,
        type: String,
        trace: String? = nil
    ) {
        self.trace = trace
        self.version = version
        self.watch = watch
        self.session = session
        self.principal = principal
        self.type = type
    }
}
