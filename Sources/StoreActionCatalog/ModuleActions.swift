package import StoreCore

/// The action types of a module or of the root state, with their wire names and access. The server
/// makes its table of actions from these types.
package struct ModuleActions<State>: Sendable {
    /// Makes the registrations for the table. The property is a closure, because making a
    /// registration throws if a type of action can't be read from JSON. The start then fails.
    package let types: @Sendable () throws(ConfigurationError) -> [RegisteredType]
    /// The recorders of the types that declare analytics.
    let recorders: [AnalyticsRecorder<State>]

    package init(_ mount: Mount<State>) where State: RootState {
        recorders = mount.handlers.compactMap { handler in
            (handler.type as? any TrackedAction.Type).map { AnalyticsRecorder(of: $0, in: mount) }
        }
        types = { () throws(ConfigurationError) in
            var types: [RegisteredType] = []
            for handler in mount.handlers {
                if let type = try Self.type(of: handler, in: mount) { types.append(type) }
            }
            return types
        }
    }

    /// Makes the registrations of the root state itself.
    package init(of root: State.Type) where State: RootState {
        recorders = root.dispatchables.compactMap { type in
            (type as? any TrackedAction.Type).map { AnalyticsRecorder(of: $0) }
        }
        types = { () throws(ConfigurationError) in
            try root.dispatchables.map { type throws(ConfigurationError) in
                try .single(type, named: "\(type)", at: ActionPlace(isOfWholeState: true))
            }
        }
    }

    /// Returns the registration of one type; `nil` for a type without a JSON form, which clients
    /// can't dispatch.
    private static func type<Root>(
        of handler: ActionHandler<Root>,
        in mount: Mount<Root>
    ) throws(ConfigurationError) -> RegisteredType? {
        let access: ActionAccess =
            switch handler.kind {
            case .ui: .views
            case .internal: .program
            case .start, .stop: mount.access(to: handler) == .program ? .program : .everybody
            case .action, .dispatchable: .everybody
            }
        let place = ActionPlace(
            module: mount.name,
            access: access,
            isForInstances: mount.slice.form == .instances
        )
        switch handler.kind {
        case .action, .ui, .internal:
            guard let type = handler.type as? any (Action & Codable).Type else { return nil }
            return try .cases(of: type, in: mount.name, at: place)
        case .dispatchable:
            guard let type = handler.type as? any (Action & Codable).Type else { return nil }
            let name = place.isForInstances ? "\(mount.name)/\(type)" : "\(type)"
            return try .single(type, named: name, at: place)
        case .start, .stop:
            guard let wire = handler.payloadType, let make = handler.make,
                let payload = handler.payload
            else { return nil }
            let name = "\(mount.name)/\(handler.kind == .start ? "start" : "stop")"
            return .lifecycle(
                handler.type,
                wire,
                named: name,
                at: place,
                make: make,
                payload: payload
            )
        }
    }
}
