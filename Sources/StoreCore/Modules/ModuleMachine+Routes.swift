// Where an action goes: its module, what handles it there, and which slice it is for.

extension ModuleMachine {
    package func route(of action: any Action) -> ActionRoute? {
        let type = Swift.type(of: action)
        if type == AddressedAction.self, let addressed = action as? AddressedAction {
            return route(of: addressed.action)
        }
        if type == ClientRequest.self, let request = action as? ClientRequest {
            let address = request.address
            return address.flatMap { address in
                names.firstIndex(of: address.module).map { requests[$0] }
            }
        }
        if let route = routes[ObjectIdentifier(type)] { return route }
        // A record that a migration gives up means nothing to the root state's reducer either.
        return type == Meaningless.self ? nil : others
    }

    /// The handler of a route, found without a look-up of its generic type.
    @inline(__always)
    func handler(of route: ActionRoute) -> ActionHandler<Root>? {
        guard let handler = route.handler else { return nil }
        // Safety: this machine made the route, and keeps the handler.
        return Unmanaged<ActionHandler<Root>>.fromOpaque(handler).takeUnretainedValue()
    }

    /// The name of the module that an action is for; `nil` for one of the whole state, too.
    package func module(of action: any Action) -> String? {
        guard let module = route(of: action)?.module, names.indices.contains(module) else {
            return nil
        }
        return names[module]
    }

    package func inside(of action: any Action) -> String? {
        guard let route = route(of: action), let handler = handler(of: route),
            handler.kind == .ui || handler.kind == .internal
        else { return nil }
        return names[route.module]
    }

    /// The action itself, and the slice that it is for: where sessions have slices of their own,
    /// that of the session which it comes from.
    @inline(__always)
    func addressed(
        _ action: any Action,
        _ module: Int,
        _ session: String?
    ) -> (any Action, SliceKey) {
        let owner = ownership[module] == .session ? session ?? SessionName.shared : nil
        // The types are compared first: that is much cheaper than a cast that fails, for each
        // action.
        let type = type(of: action)
        if type == AddressedAction.self, let addressed = action as? AddressedAction {
            return (addressed.action, SliceKey(session: owner, instance: addressed.instance))
        }
        if type == ClientRequest.self, let request = action as? ClientRequest {
            return (request, SliceKey(session: owner, instance: request.address?.instance))
        }
        return (action, owner == nil ? .only : SliceKey(session: owner))
    }
}
