import StoreCore
import Wire

/// The cases of enums of actions, as they stand on the wire.
enum ActionCases {
    /// The names of all cases; `nil` for a type that is coded in a way of its own.
    static func names(of type: any Decodable.Type) -> [String]? {
        let document = JSONSchemaDocument(of: [type])
        guard let root = document.roots.first else { return nil }
        return names(in: resolved(root, document))
    }

    private static func resolved(
        _ schema: JSONSchema,
        _ document: JSONSchemaDocument
    ) -> JSONSchema {
        guard case .reference(let name) = schema else { return schema }
        return document.definitions.first { $0.name == name }?.schema ?? schema
    }

    private static func names(in schema: JSONSchema) -> [String]? {
        switch schema {
        case .strings(let names): return names
        case .object(let members) where members.count == 1: return members.map(\.name)
        case .oneOf(let choices):
            let names = choices.compactMap { Self.names(in: $0) }.flatMap(\.self)
            return names.count == choices.count ? names : nil
        default: return nil
        }
    }

    /// Which case a value is.
    static func name(of action: any Encodable) -> String? {
        guard let json = try? JSONEncoder().encode(action),
            let root = try? JSONDocument(parsing: json, limits: .unbounded).root
        else { return nil }
        return root.stringValue ?? (root.count == 1 ? root.members.first?.name : nil)
    }
}
