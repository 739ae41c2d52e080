// The route of an action: its module, its handler and its slice.

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
        // The root state's reducer does not get records that a migration has dropped.
        return type == SkippedAction.self ? nil : others
    }

    /// Returns the handler of a route, without a look-up of its generic type.
    @inline(__always)
    func handler(of route: ActionRoute) -> ActionHandler<Root>? {
        guard let handler = route.handler else { return nil }
        // Safety: this machine made the route, and keeps the handler.
        return Unmanaged<ActionHandler<Root>>.fromOpaque(handler).takeUnretainedValue()
    }

    /// Returns the name of the module of an action; `nil` for an action of the whole state, and for
    /// an action without a module.
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

    /// Returns the action without its address, and the key of its slice. The key has the session of
    /// the action if sessions have slices of their own.
    @inline(__always)
    func addressed(
        _ action: any Action,
        _ module: Int,
        _ session: String?
    ) -> (any Action, SliceKey) {
        let owner = ownership[module] == .session ? session ?? SessionName.shared : nil
        // The types are compared first, because a cast that fails would cost each action much more.
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

/// A table that finds the route of an action by its type.
///
/// The addresses of the types are their hashes. A dictionary would take ten times as long.
struct ActionRouteTable: Sendable {
    private struct Slot {
        var type: ObjectIdentifier
        var route: ActionRoute
    }

    /// Open addressing: a search ends at the first free slot behind the first slot of the type. At
    /// most half of the slots are in use.
    private let slots: [Slot?]

    init(_ routes: [ObjectIdentifier: ActionRoute]) {
        var count = 4
        while count < routes.count * 2 { count *= 2 }
        var slots: [Slot?] = Array(repeating: nil, count: count)
        for (type, route) in routes {
            var place = Self.place(of: type, in: count)
            while slots[place] != nil { place = (place + 1) & (count - 1) }
            slots[place] = Slot(type: type, route: route)
        }
        self.slots = slots
    }

    subscript(type: ObjectIdentifier) -> ActionRoute? {
        var place = Self.place(of: type, in: slots.count)
        while let slot = slots[place] {
            if slot.type == type { return slot.route }
            place = (place + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Returns the first slot of a type. Types are aligned in memory, so the lowest bits of their
    /// addresses are equal.
    private static func place(of type: ObjectIdentifier, in count: Int) -> Int {
        let address = UInt(bitPattern: type)
        return Int(truncatingIfNeeded: address >> 4 ^ address >> 12) & (count - 1)
    }
}

// Slices of sessions: the checks of actions on them, and their end.

/// An action on sessions: it begins or ends one, or changes routes.
package protocol SessionAction: Action {
    /// The session that ends, with all of its slices; `nil` if the action ends none.
    var endedSession: String? { get }
    /// The sessions whose routes change; `nil` if the action names none.
    var namedSessions: [String]? { get }
}

extension ModuleMachine {
    /// Refuses an action on a slice of a session that has ended: no later action would remove the
    /// slice.
    func admitSession(_ key: SliceKey, in state: Root) throws(Refusal) {
        if key.isOnly { return }
        guard let session = key.session, isOver(session, in: state) else { return }
        throw Refusal.ofEndedSession
    }

    /// Refuses an action on the routes of sessions that have all ended.
    func admitSessions(named action: any Action, in state: Root) throws(Refusal) {
        guard let sessions = (action as? any SessionAction)?.namedSessions, !sessions.isEmpty,
            sessions.allSatisfy({ isOver($0, in: state) })
        else { return }
        throw Refusal.ofEndedSession
    }

    /// True if a session is not open. False for the shared session, and in a state without
    /// sessions.
    func isOver(_ session: String, in state: Root) -> Bool {
        session != SessionName.shared
            && changes?.presentation?.isOpen(session, in: state) == false
    }

    /// Removes all slices of the session that the action ends, if it ends one.
    func endSession(by action: any Action, _ state: inout Root, _ change: inout Change) {
        guard let session = (action as? any SessionAction)?.endedSession else { return }
        for module in sessionModules where modules[module].slice.end(session: session, &state) {
            change.isChange = true
            change.touch(SliceEdit(module, SliceKey(session: session)))
        }
        endViews(ofSession: session, &state, &change)
    }

    /// Adds the parts of a slice that an action has changed, for a module with a part for each
    /// session.
    func touch(_ change: inout Change, _ module: Int, _ old: Root, _ new: Root) {
        guard let sessions = modules[module].slice.changedSessions(old, new) else {
            return change.touch(SliceEdit(module))
        }
        // Above the bound, one entry for the whole module is cheaper.
        guard sessions.count <= Self.editsMax else { return change.touch(SliceEdit(module)) }
        for session in sessions { change.touch(SliceEdit(module, SliceKey(session: session))) }
    }

    /// The most slices of one module that a change lists one by one.
    static var editsMax: Int { 16 }

    package func show(_ state: inout Root, to session: String?) {
        guard sessionModules.count > 0 else { return }
        let reader = SessionReader(session ?? SessionName.shared)
        for module in sessionModules { modules[module].slice.show(&state, to: reader) }
    }

}
