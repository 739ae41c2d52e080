import ActionCatalog
import ControlledWorld
import StatePublishing
import StoreCore
import StoreHTTP
import StorePatterns
import Telemetry
import Wire

/// What a server does otherwise where the state is made of modules.
struct ModuleParts<State: Codable & Equatable & Sendable>: Sendable {
    typealias Patch = @Sendable (State, State, [Touch], JSONEncoder) -> Result<Bytes, JSONError>

    /// The modules' names, in their order.
    let names: [String]
    let slices: [SliceDescription]
    /// The actions of the modules. Throws where the modules make no state together.
    let actions: @Sendable () throws(ConfigurationError) -> [ModuleActions<State>]
    /// Encodes the modules that a batch has touched.
    let writer: @Sendable (JSONEncoder, TouchedModules) -> any StateWriter<State>
    /// The patch between two states, given the slices that are not as they were.
    let patch: Patch
    /// The projections of the state.
    let views: ViewParts<State>
    /// The methods of the modules' use cases.
    let useCases: [UseCaseCall]
    /// The Core.
    let core:
        @Sendable (
            State, World, CoreConfiguration<State>,
            _ effectEnded: @escaping @Sendable (_ module: String, _ nanoseconds: UInt64) -> Void
        ) throws(ConfigurationError) -> Core<State>
    /// Goes on with the effects that had not ended when the server did, given the action of a
    /// version.
    let resume:
        @Sendable (
            Core<State>, State, Logger, @escaping @Sendable (UInt64) -> PastAction?
        ) -> Void
    /// The sessions of a state, where it has any.
    let sessions: @Sendable (State) -> Sessions.State?
    /// Calls its argument with the state and its version, on the Core's thread.
    let look: @Sendable (Core<State>, @escaping @Sendable (State, UInt64) -> Void) -> Void
}

extension ModuleParts where State: RootState {
    init(of root: State.Type) {
        names = State.modules.map(\.name)
        slices = State.modules.map { mount in
            SliceDescription(
                name: mount.name,
                form: mount.slice.form,
                presenters: mount.presenterNames,
                visibility: { mount.slice.action(on: $0) }
            )
        }
        actions = { () throws(ConfigurationError) in
            do throws(ModuleError) {
                _ = try ModuleMachine<State>()
            } catch {
                throw ConfigurationError("\(error)")
            }
            return State.modules.map { ModuleActions($0) }
        }
        views = ViewParts(of: root)
        useCases = UseCaseCall.all(of: root)
        sessions = { state in
            let mount = State.modules.first { $0.name == Sessions.name }
            return mount?.slice.value(state) as? Sessions.State
        }
        look = { $0.look($1) }
        resume = { core, state, logger, past in
            let ledger = State.modules.first { $0.name == PendingEffects.name }
            guard let pending = ledger?.slice.value(state) as? PendingEffects.State else { return }
            core.resume(pending.pending, past: past) { entry, isRunAgain in
                logger.warning(
                    "what '\(entry.slice)' wanted done after version \(entry.version) had not ended: "
                        + (isRunAgain ? "it is run again" : "it is not run again")
                )
            }
        }
        writer = { SliceWriter($0, $1) }
        patch = { old, new, touches, encoder in
            Result { () throws(JSONError) in
                try StateDifference.patch(from: old, to: new, in: touches, encoder)
            }
        }
        core = {
            state,
            world,
            configuration,
            effectEnded throws(ConfigurationError) in
            let runner = EffectRunner(
                dependencies: world.dependencies,
                executor: world.simulated?.executor ?? world.test?.executor
            ) { token, error in
                guard world.simulated == nil else { return }
                world.logger.warning(
                    "the effect \(token.id) of version \(token.cause.version): \(error)"
                )
            } ended: { token, nanoseconds in
                effectEnded(token.address.module, nanoseconds)
            }
            do throws(ModuleError) {
                return try Core(
                    state,
                    runner: runner,
                    configuration: configuration
                )
            } catch {
                throw ConfigurationError("\(error)")
            }
        }
    }
}
