/// A hash table that finds the route of an action by the action's type.
///
/// The hash of a type comes from the address of the type in memory. A look-up in a dictionary would
/// take ten times as long.
struct ActionRouteTable: Sendable {
    private struct Slot {
        var type: ObjectIdentifier
        var route: ActionRoute
    }

    /// The slots of the table, with open addressing. A search begins at the first slot of the type,
    /// and ends at the next free slot. At most half of the slots are in use.
    private let slots: [Slot?]

    init(_ routes: [ObjectIdentifier: ActionRoute]) {
        var count = 4
        while count < routes.count * 2 { count *= 2 }
        var slots: [Slot?] = Array(repeating: nil, count: count)
        for (type, route) in routes {
            var place = Self.firstSlotIndex(of: type, slotCount: count)
            while slots[place] != nil { place = (place + 1) & (count - 1) }
            slots[place] = Slot(type: type, route: route)
        }
        self.slots = slots
    }

    subscript(type: ObjectIdentifier) -> ActionRoute? {
        var place = Self.firstSlotIndex(of: type, slotCount: slots.count)
        while let slot = slots[place] {
            if slot.type == type { return slot.route }
            place = (place + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Returns the index of the slot at which the search for a type begins. The lowest bits of the
    /// address are left out: they are equal for all types, because types are aligned in memory.
    private static func firstSlotIndex(of type: ObjectIdentifier, slotCount count: Int) -> Int {
        let address = UInt(bitPattern: type)
        return Int(truncatingIfNeeded: address >> 4 ^ address >> 12) & (count - 1)
    }
}

// Look-ups of the route, the handler, the module and the slice of an action.

extension ModuleMachine {
    package func route(of action: any Action) -> ActionRoute? {
        let type = Swift.type(of: action)
        if type == AddressedAction.self, let addressed = action as? AddressedAction {
            return route(of: addressed.action)
        }
        if type == ClientRequest.self, let request = action as? ClientRequest {
            let address = request.address
            return address.flatMap { address in
                moduleNames.firstIndex(of: address.module).map { useCaseRoutes[$0] }
            }
        }
        if let route = routes[ObjectIdentifier(type)] { return route }
        // A `SkippedAction` stands for a record that a migration has dropped. The root state's
        // reducer does not get this action.
        return type == SkippedAction.self ? nil : routeWithoutModule
    }

    /// Returns the handler of a route; `nil` for the route of use cases. The unchecked cast saves a
    /// look-up of the generic type.
    @inline(__always)
    func handler(of route: ActionRoute) -> ActionHandler<Root>? {
        guard let handler = route.handler else { return nil }
        // Safety: this machine made the route, and keeps the handler.
        return Unmanaged<ActionHandler<Root>>.fromOpaque(handler).takeUnretainedValue()
    }

    /// Returns the module of an action; `nil` for an action of the whole state, and for an action
    /// without a module.
    package func module(of action: any Action) -> ActionModule? {
        guard let route = route(of: action), moduleNames.indices.contains(route.moduleIndex) else {
            return nil
        }
        let kind = handler(of: route)?.kind
        return ActionModule(
            name: moduleNames[route.moduleIndex],
            isActionPrivate: kind == .ui || kind == .internal
        )
    }

    /// Returns the action without its address, and the key of its slice. The key has the session or
    /// the user that the action comes from, if the module's slices have owners.
    @inline(__always)
    func actionAndSliceKey(
        _ action: any Action,
        _ module: Int,
        _ session: String?,
        _ origin: ReducerContextSource
    ) -> (any Action, SliceKey) {
        let ownership = ownershipByModule[module]
        let owner =
            ownership.isOwned
            ? ownership.owner(of: origin.principal?.name, in: session) : nil
        // For most actions, a failed cast would cost much more than this comparison of types.
        let type = type(of: action)
        if type == AddressedAction.self, let addressed = action as? AddressedAction {
            return (addressed.action, SliceKey(owner: owner, instance: addressed.instance))
        }
        if type == ClientRequest.self, let request = action as? ClientRequest {
            return (request, SliceKey(owner: owner, instance: request.address?.instance))
        }
        return (action, owner == nil ? .only : SliceKey(owner: owner))
    }
}
