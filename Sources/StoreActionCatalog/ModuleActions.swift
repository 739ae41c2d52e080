package import StoreCore

/// The action types of a module or of the root state, with their wire names and access. The server
/// makes its table of actions from these types.
package struct ModuleActions<State>: Sendable {
    /// The function that makes the registrations for the table, called by the start of the server.
    /// If a type of action can't be read from JSON, the function throws an error, and the start
    /// fails.
    package let makeTypes: @Sendable () throws(ConfigurationError) -> [RegisteredType]
    /// The recorders of the types that declare analytics.
    let recorders: [AnalyticsRecorder<State>]

    package init(_ mount: Mount<State>) where State: RootState {
        recorders = mount.handlers.compactMap { handler in
            (handler.type as? any TrackedAction.Type).map { AnalyticsRecorder(of: $0, in: mount) }
        }
        makeTypes = { () throws(ConfigurationError) in
            var types: [RegisteredType] = []
            for handler in mount.handlers {
                if let type = try Self.registration(of: handler, in: mount) { types.append(type) }
            }
            return types
        }
    }

    /// Makes the registrations of the root state itself.
    package init(of root: State.Type) where State: RootState {
        recorders = root.dispatchables.compactMap { type in
            (type as? any TrackedAction.Type).map { AnalyticsRecorder(of: $0) }
        }
        makeTypes = { () throws(ConfigurationError) in
            try root.dispatchables.map { type throws(ConfigurationError) in
                try .single(type, named: "\(type)", traits: ActionTraits(isOfWholeState: true))
            }
        }
    }

    /// Returns the registration of one type; `nil` for a type without a JSON form, which clients
    /// can't dispatch.
    private static func registration<Root>(
        of handler: ActionHandler<Root>,
        in mount: Mount<Root>
    ) throws(ConfigurationError) -> RegisteredType? {
        let access: ActionAccess =
            switch handler.kind {
            case .ui: .views
            case .internal: .program
            case .start, .stop:
                mount.lifecycleAccess(to: handler) == .program ? .program : .everybody
            case .action, .dispatchable: .everybody
            }
        let traits = ActionTraits(
            module: mount.name,
            access: access,
            isForInstances: mount.slicePlace.cardinality == .instances
        )
        switch handler.kind {
        case .action, .ui, .internal:
            guard let type = handler.type as? any (Action & Codable).Type else { return nil }
            return try .cases(of: type, in: mount.name, traits: traits)
        case .dispatchable:
            guard let type = handler.type as? any (Action & Codable).Type else { return nil }
            let name = traits.isForInstances ? "\(mount.name)/\(type)" : "\(type)"
            return try .single(type, named: name, traits: traits)
        case .start, .stop:
            guard let wire = handler.payloadType, let make = handler.makeAction,
                let payload = handler.extractPayload
            else { return nil }
            let name = "\(mount.name)/\(handler.kind == .start ? "start" : "stop")"
            return .startOrStopAction(
                handler.type,
                wire,
                named: name,
                traits: traits,
                make: make,
                payload: payload
            )
        }
    }
}
