/// The handlers of ``ModuleStart`` and ``ModuleStop``, the actions that make a module's slice and
/// remove it. A ``Mount`` of a startable module has them beside the handlers of the module's own
/// actions.
enum Lifecycle {
    static func handlers<Root, M: StartableModule>(
        of module: M,
        at place: SlicePlace<Root, M.State>
    ) -> [ActionHandler<Root>] {
        [
            ActionHandler(
                ModuleStart<M.Interface>.self,
                .start,
                wire: M.Interface.Start.self,
                make: { ($0 as? M.Interface.Start).map { ModuleStart<M.Interface>(start: $0) } },
                payload: { ($0 as? ModuleStart<M.Interface>)?.start },
                effectAfterStart: { root, action, address in
                    guard let action = action as? ModuleStart<M.Interface>,
                        let state = place.read(root, address.key)
                    else { return nil }
                    let effect = module.effect(afterStart: action.start, in: state)
                    return PendingEffect(effect, at: address, in: place)
                }
            ) { root, action, key, comparison in
                // The reducer of a start.
                guard let action = action as? ModuleStart<M.Interface> else { return .same }
                try place.check(key)
                guard let old = place.read(root, key) else {
                    place.write(try module.begin(action.start), &root, key)
                    return SliceResult(isChange: true)
                }
                let new: M.State
                do {
                    new = try module.begin(action.start, over: old)
                } catch is AlreadyStarted {
                    let path = SliceAddress(module: M.Interface.name, key).path
                    throw Refusal(reason: "'\(path)' is started already.")
                }
                place.write(new, &root, key)
                return SliceResult(isChange: differs(old, new, comparison), isRestart: true)
            },
            ActionHandler(
                ModuleStop<M.Interface>.self,
                .stop,
                wire: NoFields.self,
                make: { _ in ModuleStop<M.Interface>() },
                payload: { _ in NoFields() }
            ) { root, _, key, _ in
                // The reducer of a stop, which is refused if the slice is not there.
                _ = try place.present(root, key, M.Interface.name)
                place.write(nil, &root, key)
                return SliceResult(isChange: true)
            },
        ]
    }
}
