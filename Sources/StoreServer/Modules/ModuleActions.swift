import StoreCore
import Wire

/// The actions of one module, as they come over the wire.
struct ModuleActions<State>: Sendable {
    let entries: @Sendable () throws(ConfigurationError) -> [RegisteredAction<State>]
    let writers: [(type: ObjectIdentifier, writer: ActionWriter)]

    init(_ mount: Mount<State>) where State: RootState {
        let isForInstances = mount.slice.form == .instances
        let handlers = mount.slice.handlers
        let name = mount.name
        entries = { () throws(ConfigurationError) in
            var entries: [RegisteredAction<State>] = []
            for handler in handlers {
                entries += try Self.entries(of: handler, in: name, isForInstances)
            }
            return entries
        }
        writers = handlers.compactMap { handler in
            Self.writer(of: handler, in: name).map { (ObjectIdentifier(handler.type), $0) }
        }
    }

    private static func writer<Root>(
        of handler: ActionHandler<Root>,
        in module: String
    ) -> ActionWriter? {
        switch handler.kind {
        case .action, .ui, .internal: .cases(in: module)
        case .start: handler.payload.map { .lifecycle("start", of: module, payload: $0) }
        case .stop: handler.payload.map { .lifecycle("stop", of: module, payload: $0) }
        case .dispatchable:
            (handler.type as? any (Action & Codable).Type).map {
                .whole($0, named: "\(handler.type)")
            }
        }
    }

    private static func entries<Root>(
        of handler: ActionHandler<Root>,
        in module: String,
        _ isForInstances: Bool
    ) throws(ConfigurationError) -> [RegisteredAction<State>] {
        switch handler.kind {
        case .action, .ui, .internal:
            guard let type = handler.type as? any (Action & Codable).Type else { return [] }
            let access: ActionAccess =
                switch handler.kind {
                case .ui: .views
                case .internal: .program
                default: .everybody
                }
            return try cases(of: type, access, in: module, isForInstances)
        case .dispatchable:
            guard let type = handler.type as? any (Action & Codable).Type else { return [] }
            return [try RegisteredAction(type, named: "\(handler.type)", module: module)]
        case .start, .stop:
            guard let wire = handler.wire, let make = handler.make else { return [] }
            let name = handler.kind == .start ? "start" : "stop"
            let access: ActionAccess = handler.isProgramOnly ? .program : .everybody
            return [lifecycle(name, wire, make, access, in: module, isForInstances)]
        }
    }

    private static func cases<A: Action & Codable>(
        of type: A.Type,
        _ access: ActionAccess,
        in module: String,
        _ isForInstances: Bool
    ) throws(ConfigurationError) -> [RegisteredAction<State>] {
        var entries: [RegisteredAction<State>] = []
        for caseName in ActionForm.cases(of: type) {
            entries.append(
                RegisteredAction(
                    name: "\(module)/\(caseName)",
                    module: module,
                    form: form(caseName, type, caseName, in: module, isForInstances),
                    access: access,
                    isForInstances: isForInstances,
                    secrets: (type as? any SecretiveAction.Type)?.secrets ?? [],
                    record: try RegisteredAction<State>.recorder(of: type, named: module),
                    read: RegisteredAction<State>.reader(of: type, caseName: caseName)
                )
            )
        }
        return entries
    }

    private static func lifecycle(
        _ name: String,
        _ wire: any (Codable & Sendable).Type,
        _ make: @escaping @Sendable (any Codable) -> (any Action)?,
        _ access: ActionAccess,
        in module: String,
        _ isForInstances: Bool
    ) -> RegisteredAction<State> {
        func entry<Wire: Codable & Sendable>(_ wire: Wire.Type) -> RegisteredAction<State> {
            RegisteredAction(
                name: "\(module)/\(name)",
                module: module,
                form: form(name, wire, nil, in: module, isForInstances),
                access: access,
                isForInstances: isForInstances,
                secrets: [],
                record: nil,
                read: RegisteredAction<State>.reader(of: wire) { make($0) }
            )
        }
        return entry(wire)
    }

    private static func form(
        _ name: String,
        _ type: any (Decodable & SendableMetatype).Type,
        _ caseName: String?,
        in module: String,
        _ isForInstances: Bool
    ) -> ActionForm {
        guard isForInstances else {
            return ActionForm("\(module)/\(name)", type, caseName: caseName)
        }
        return ActionForm(
            "\(module)/{id}/\(name)",
            type,
            caseName: caseName,
            pattern: "^\(module)/.{1,\(InstanceID.bytesMax)}/\(name)$"
        )
    }
}
