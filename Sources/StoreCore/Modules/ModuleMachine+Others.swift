// What an action on one module leads to in others: what they see of it, and the ledger of effects.

extension ModuleMachine {
    /// Fills in what modules see of one another, in a state that no action has led to.
    package func connect(_ state: inout Root) {
        for link in links.joined() { _ = update(link, &state) }
    }

    /// Brings what modules see of one another up to date.
    func follow(_ links: [Link], _ state: inout Root, _ change: inout Change) {
        for link in links where update(link, &state) {
            change.touch(Touch(link.reader))
        }
    }

    /// Brings what a module sees of another up to date; answers whether that changed it.
    private func update(_ link: Link, _ state: inout Root) -> Bool {
        link.link.update(
            &state,
            modules[link.reader].slice,
            modules[link.owner].slice,
            comparison
        )
    }

    static func links(of modules: Root.Modules) throws(ModuleError) -> [[Link]] {
        var links: [[Link]] = Array(repeating: [], count: modules.count)
        for (reader, mount) in modules.enumerated() {
            for shared in mount.links {
                guard let owner = modules.firstIndex(where: { $0.name == shared.owner }),
                    owner != reader
                else { throw ModuleError.foreignOwner(shared.owner, reader: mount.name) }
                let link = Link(reader: reader, owner: owner, link: shared)
                links[owner].append(link)
                links[reader].append(link)
            }
        }
        return links
    }
}

// The ledger

extension ModuleMachine {
    /// Enters an effect that outlives the server in the ledger.
    func enter(
        _ handler: ActionHandler<Root>,
        _ action: any Action,
        _ instance: String?,
        _ module: Int,
        _ version: UInt64,
        _ sessions: [String],
        in ledger: (module: Int, place: SlicePlace<Root, PendingEffects.State>),
        _ state: inout Root,
        _ change: inout Change
    ) {
        let address = SliceAddress(module: names[module], instance: instance)
        guard let effect = handler.effect(state, action, address), effect.onRestart != .lost,
            var pending = ledger.place.read(state, nil)
        else { return }
        pending.enter(
            PendingEffects.Entry(
                version: version,
                slice: address.path,
                onRestart: effect.onRestart
            )
        )
        ledger.place.write(pending, &state, nil)
        change.touch(Touch(ledger.module))
        change.isChange = true
    }

    static func ledger(
        of modules: Root.Modules
    ) throws(ModuleError) -> (module: Int, place: SlicePlace<Root, PendingEffects.State>)? {
        for (index, mount) in modules.enumerated() where mount.name == PendingEffects.name {
            if let place = mount.slice.place(of: PendingEffects.State.self)
                as? SlicePlace<Root, PendingEffects.State>
            {
                return (index, place)
            }
        }
        if let keeper = modules.first(where: { $0.slice.keepsEffects }) {
            throw .noLedger(keeper.name)
        }
        return nil
    }
}
