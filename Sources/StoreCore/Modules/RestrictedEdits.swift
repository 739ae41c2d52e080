// The checks of actions on restricted slices, and the readers of the changes of these slices.

extension ModuleMachine {
    package var restrictedModules: RestrictedModules {
        var found = RestrictedModules()
        for (module, ownership) in Root.readOwnership.enumerated() where ownership == .readers {
            if isRestricted[module] {
                found.restricted.insert(module)
            } else {
                found.hidden.insert(module)
            }
        }
        return found
    }

    /// Refuses a client's action on a slice that the client may not read. The client gets the
    /// refusal of an action on an absent slice, except for a start, which has a refusal of its own.
    func admitReader(
        _ route: ActionRoute,
        _ key: SliceKey,
        _ origin: ReducerContextSource,
        in state: Root
    ) throws(Refusal) {
        guard let client = origin.restrictedClient else { return }
        let place = modules[route.moduleIndex].slicePlace
        guard place.isSliceThere(state, key) else { return }
        guard !place.readers(state, key).contains(client) else { return }
        let path = SliceAddress(module: moduleNames[route.moduleIndex], key).path
        guard handler(of: route)?.kind != .start else { throw .ofTakenID(path) }
        throw .ofAbsentSlice(path)
    }

    /// Adds the readers of a changed slice, before and after the action, to the change of the
    /// action.
    func addReaders(
        of key: SliceKey,
        _ module: Int,
        _ old: Root,
        _ new: Root,
        to change: inout Change
    ) {
        let readers = readers(of: [key], module, old, new)
        change.add(SliceEdit(module, SliceKey(instance: key.instance, readers: readers)))
    }

    /// Returns the readers of the slices before and after an action.
    func readers(of keys: [SliceKey], _ module: Int, _ old: Root, _ new: Root) -> [Readers] {
        let place = modules[module].slicePlace
        return keys.flatMap { key in
            let (before, after) = (place.readers(old, key), place.readers(new, key))
            return before == after ? [before] : [before, after]
        }
    }
}

extension RootState {
    /// For each module, the kind of ownership that determines the clients that may read its slices.
    ///
    /// The ledger of effects and the schedule name the slices of all modules. If some slices are
    /// restricted, only operators read the ledger and the schedule.
    package static var readOwnership: [SliceOwnership] {
        let ownership = modules.map(\.slicePlace.ownership)
        guard ownership.contains(.readers) else { return ownership }
        return zip(modules, ownership).map { mount, ownership in
            let type = mount.slicePlace.wireType
            let isLedger = type == PendingEffects.State.self || type == Schedule.State.self
            return isLedger ? .readers : ownership
        }
    }
}

/// The indices of the modules that some clients may not read.
package struct RestrictedModules: Sendable {
    /// The modules whose slices have readers (``RestrictedModule``).
    var restricted: Set<Int> = []
    /// The modules that only operators may read.
    var hidden: Set<Int> = []

    func contains(_ module: Int) -> Bool {
        restricted.contains(module) || hidden.contains(module)
    }
}

extension Refusal {
    /// Makes the refusal of an action on a slice that does not exist.
    static func ofAbsentSlice(_ path: String) -> Refusal {
        Refusal(reason: "'\(path)' is not started; dispatch \(path)/start first.")
    }

    /// Makes the refusal of the start of an existing slice that the client may not read.
    static func ofTakenID(_ path: String) -> Refusal {
        Refusal(reason: "'\(path)' can't be started; choose another id.")
    }
}
