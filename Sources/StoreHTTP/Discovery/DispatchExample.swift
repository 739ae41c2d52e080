import StoreJSON
import StoreJSONSchema

/// Makes an example body for `POST /dispatch` that the schema allows.
struct DispatchExample {
    /// The maximum depth of the example. Without this bound, the example of a type that contains
    /// itself would have no end.
    private static let depthMax = 8

    /// The definitions that the schemas refer to; `Action` is one of them.
    let definitions: [JSONSchema.Property]

    /// The first action without a payload, or else the first action whose payload can be made from
    /// its schema. `nil` if no action is suitable, for example if each action is for an instance.
    /// The reducer may still refuse the example, because the reducer checks more than the schema.
    var json: String? {
        guard case .oneOf(let actions)? = definitions.first(where: { $0.name == "Action" })?.schema
        else { return nil }
        let bare = actions.lazy.filter { !$0.needsPayload }.compactMap { value(of: $0) }
        return bare.first ?? actions.lazy.compactMap { value(of: $0) }.first
    }

    /// Makes a value that the schema allows, as JSON. Returns `nil` if no value is found.
    private func value(of schema: JSONSchema, _ depth: Int = 0) -> String? {
        guard depth <= Self.depthMax else { return nil }
        switch schema {
        case .any, .null, .nullable: return "null"
        case .boolean: return "true"
        case .number: return "1"
        case .integer(let minimum, let maximum):
            return minimum <= 1 && maximum >= 1 ? "1" : "\(minimum)"
        case .string(let format): return format == nil ? JSONText.quoted("text") : nil
        case .text: return nil
        case .stringEnum(let texts): return texts.first.map { JSONText.quoted($0) }
        case .integerEnum(let numbers): return numbers.first.map { "\($0)" }
        case .array: return "[]"
        case .dictionary: return "{}"
        case .boundedArray(let element, let count):
            return array(of: Array(repeating: element, count: count.lowerBound), depth)
        case .tuple(let schemas): return array(of: schemas, depth)
        case .object(let properties): return object(of: properties.filter(\.isRequired), depth)
        case .oneOf(let schemas), .anyOf(let schemas):
            return schemas.lazy.compactMap { value(of: $0, depth + 1) }.first
        case .reference(let name):
            return definitions.first { $0.name == name }.flatMap { value(of: $0.schema, depth + 1) }
        }
    }

    private func array(of schemas: [JSONSchema], _ depth: Int) -> String? {
        let values = schemas.compactMap { value(of: $0, depth + 1) }
        guard values.count == schemas.count else { return nil }
        return "[" + values.joined(separator: ",") + "]"
    }

    private func object(of properties: [JSONSchema.Property], _ depth: Int) -> String? {
        let members = properties.compactMap { property in
            value(of: property.schema, depth + 1).map { JSONText.quoted(property.name) + ":" + $0 }
        }
        guard members.count == properties.count else { return nil }
        return "{" + members.joined(separator: ",") + "}"
    }
}

extension JSONSchema {
    fileprivate var needsPayload: Bool {
        guard case .object(let properties) = self else { return true }
        return properties.contains { $0.name == "payload" && $0.isRequired }
    }
}
