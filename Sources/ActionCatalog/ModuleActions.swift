package import StoreCore

/// The actions of one module, as they come over the wire.
package struct ModuleActions<State>: Sendable {
    /// Throws where a type has no form on the wire.
    package let types: @Sendable () throws(ConfigurationError) -> [RegisteredType]

    package init(_ mount: Mount<State>) where State: RootState {
        types = { () throws(ConfigurationError) in
            let isForInstances = mount.slice.form == .instances
            var types: [RegisteredType] = []
            for handler in mount.slice.handlers {
                if let type = try Self.type(of: handler, in: mount.name, isForInstances) {
                    types.append(type)
                }
            }
            return types
        }
    }

    private static func type<Root>(
        of handler: ActionHandler<Root>,
        in module: String,
        _ isForInstances: Bool
    ) throws(ConfigurationError) -> RegisteredType? {
        let access: ActionAccess =
            switch handler.kind {
            case .ui: .views
            case .internal: .program
            default: handler.isProgramOnly ? .program : .everybody
            }
        let place = RegisteredType.Place(
            module: module,
            access: access,
            isForInstances: isForInstances
        )
        switch handler.kind {
        case .action, .ui, .internal:
            guard let type = handler.type as? any (Action & Codable).Type else { return nil }
            return try .cases(of: type, at: place)
        case .dispatchable:
            guard let type = handler.type as? any (Action & Codable).Type else { return nil }
            guard isForInstances else {
                return try .whole(type, named: "\(handler.type)", module: module)
            }
            return try .whole(type, forInstancesAt: place)
        case .start, .stop:
            guard let wire = handler.wire, let make = handler.make, let payload = handler.payload
            else { return nil }
            let name = handler.kind == .start ? "start" : "stop"
            return .lifecycle(name, handler.type, wire, at: place, make: make, payload: payload)
        }
    }
}
