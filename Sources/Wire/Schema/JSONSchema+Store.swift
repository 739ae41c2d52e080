extension JSONSchema {
    /// How many actions one request may carry (protocol 2.3).
    package static let batchMax = 1_000

    /// What `GET /schema` answers: the state and every action in one document (protocol 6.1).
    ///
    /// The document itself describes the state. Beside the types' own definitions, `$defs` has
    /// `State`; `Action`, what one member of a request's body may be; `Dispatch`, the body of
    /// `POST /dispatch`; and the payload of each action under `payload:` and its wire name.
    ///
    /// - Parameters:
    ///   - state: the type of the state.
    ///   - actions: wire names and types, in the order in which they are to be listed.
    ///   - adapter: as in ``JSONSchemaDocument/init(of:reserved:adapter:)``.
    package static func store(
        state: any Decodable.Type,
        actions: [(name: String, type: any Decodable.Type)],
        adapter: @escaping (any Any.Type) -> JSONSchema? = { _ in nil }
    ) -> Bytes {
        let document = JSONSchemaDocument(
            of: [state] + actions.map(\.type),
            reserved: ["State", "Action", "Dispatch"],
            adapter: adapter
        )
        var writer = JSONWriter(capacity: 8_192)
        writer.object { object in
            object.member("$schema", dialect)
            object.member("$ref", "#/$defs/State")
            object.key("$defs")
            object.object { definitions in
                definitions.key("State")
                document.roots[0].write(to: &definitions)
                definitions.key("Dispatch")
                writeDispatch(to: &definitions)
                definitions.key("Action")
                writeActions(actions.map(\.name), document.roots.dropFirst(), to: &definitions)
                for (action, payload) in zip(actions, document.roots.dropFirst()) {
                    definitions.key(payloadName(action.name))
                    payload.write(to: &definitions)
                }
                for definition in document.definitions {
                    definitions.key(definition.name)
                    definition.schema.write(to: &definitions)
                }
            }
        }
        return writer.bytes
    }

    /// The definition of an action's payload; the colon keeps it apart from the types' names.
    package static func payloadName(_ action: String) -> String { "payload:\(action)" }

    private static func writeDispatch(to writer: inout JSONWriter) {
        writer.object { object in
            object.key("anyOf")
            object.array { list in
                JSONSchema.reference("Action").write(to: &list)
                list.object { batch in
                    batch.member("type", "array")
                    batch.key("items")
                    JSONSchema.reference("Action").write(to: &batch)
                    batch.member("minItems", 1)
                    batch.member("maxItems", batchMax)
                }
            }
        }
    }

    private static func writeActions(
        _ names: [String],
        _ payloads: ArraySlice<JSONSchema>,
        to writer: inout JSONWriter
    ) {
        writer.object { object in
            object.key("oneOf")
            object.array { list in
                for (name, payload) in zip(names, payloads) {
                    writeAction(name, needsPayload: !payload.acceptsNothing, to: &list)
                }
            }
        }
    }

    private static func writeAction(
        _ name: String,
        needsPayload: Bool,
        to writer: inout JSONWriter
    ) {
        writer.object { object in
            object.member("type", "object")
            object.key("properties")
            object.object { members in
                members.key("type")
                members.object { $0.member("const", name) }
                members.key("payload")
                let payload = JSONSchema.reference(payloadName(name))
                (needsPayload ? payload : payload.orNull).write(to: &members)
                members.key("meta")
                members.object { $0.member("type", "object") }
            }
            object.member("required", needsPayload ? ["type", "payload"] : ["type"])
        }
    }

    /// Whether an action of this form may come without a payload, or with null (protocol 2.1).
    package var acceptsNothing: Bool {
        switch self {
        case .any, .null, .nullable: true
        case .object(let properties): properties.isEmpty
        default: false
        }
    }
}
