extension JSONSchema {
    /// How many actions one request may have (protocol 2.3), unless the server is configured
    /// otherwise.
    package static let batchMax = 1_000

    /// What `GET /schema` answers: the state and every action in one document (protocol 6.1).
    ///
    /// The document itself describes the state; `$defs` holds
    /// ``storeDefinitions(state:actions:logged:requests:batchMax:adapter:)``.
    package static func store(
        state: any Decodable.Type,
        actions: [ActionForm],
        logged: [ActionForm] = [],
        requests: [LoggedRequest] = [],
        batchMax: Int = batchMax,
        adapter: @escaping (any Any.Type) -> JSONSchema? = { _ in nil }
    ) -> Bytes {
        let definitions = storeDefinitions(
            state: state,
            actions: actions,
            logged: logged,
            requests: requests,
            batchMax: batchMax,
            adapter: adapter
        )
        var writer = JSONWriter(capacity: 8_192)
        writer.object { object in
            object.member("$schema", dialect)
            reference("State").writeKeywords(to: &object)
            write(definitions: definitions, to: &object)
        }
        return writer.bytes
    }

    /// The definitions of a store, for `GET /schema` and `GET /openapi.json`.
    ///
    /// `State`; `Dispatch`, the body of `POST /dispatch`; `Action`, one member of it; `LogRecord`,
    /// one of the log; the payload of each action as `payload.` and its wire name; then the types
    /// that several of them share.
    ///
    /// - Parameters:
    ///   - state: the type of the state.
    ///   - whole: the type of what operators see of it, where that is another.
    ///   - isInParts: whether some see only some of the members.
    ///   - actions: what may be dispatched, in the order in which it is to be listed.
    ///   - logged: what the log may have besides: what the program and its views dispatch.
    ///   - requests: what clients ask besides actions, which has no payload.
    ///   - batchMax: how many actions one request may carry.
    ///   - adapter: as in ``JSONSchemaDocument/init(of:reserved:adapter:)``.
    /// - Returns: the definitions, each with its name, in that order.
    package static func storeDefinitions(
        state: any Decodable.Type,
        whole: (any Decodable.Type)? = nil,
        isInParts: Bool = false,
        actions: [ActionForm],
        logged: [ActionForm] = [],
        requests: [LoggedRequest] = [],
        batchMax: Int = batchMax,
        adapter: @escaping (any Any.Type) -> JSONSchema? = { _ in nil }
    ) -> [Property] {
        let all = actions + logged
        let payloadNames = all.map { payloadName($0.name) }
        // An enum of many actions is derived once.
        var places: [ObjectIdentifier: Int] = [:]
        let others = whole.map { ObjectIdentifier($0) == ObjectIdentifier(state) ? [] : [$0] } ?? []
        let states = [state] + others
        var types = states
        for action in all where places[ObjectIdentifier(action.type)] == nil {
            places[ObjectIdentifier(action.type)] = types.count
            types.append(action.type)
        }
        let document = JSONSchemaDocument(
            of: types,
            reserved: Set(
                ["State", "Action", "Dispatch", "Recipients", "LogRecord"] + payloadNames
            ),
            adapter: adapter
        )
        let payloads = all.map { action -> JSONSchema in
            document.payload(
                of: action,
                document.roots[places[ObjectIdentifier(action.type)] ?? 0]
            )
        }
        let forms = zip(actions, payloads).map { action, payload in
            form(of: action, payload: payload, as: .reference(payloadName(action.name)))
        }
        let records =
            all.map {
                record(
                    $0.pattern.map { .text(pattern: $0) } ?? .strings([$0.name]),
                    reference(payloadName($0.name))
                )
            }
            + requests.map { record($0.schema, .object([])) }
        let action = reference("Action")
        return [
            Property(
                "State",
                union(
                    document.roots.prefix(states.count).map {
                        isInParts ? $0.inParts(document.definitions) : $0
                    }
                )
            ),
            Property(
                "Dispatch",
                .anyOf([action, .boundedArray(of: action, count: 1...batchMax)])
            ),
            Property("Action", .oneOf(forms)),
            Property("LogRecord", .oneOf(records)),
            Property(
                "Recipients",
                .anyOf([
                    .strings(["all", "emitter", "allExcludingEmitter"]),
                    .object([Property("authorized", .array(of: .string()))]),
                ])
            ),
        ] + zip(payloadNames, payloads).map { Property($0, $1) } + document.definitions
    }

    /// A body with one of these actions, or an array of them, that stands for itself.
    package static func dispatch(of actions: [ActionForm], batchMax: Int = batchMax) -> JSONSchema {
        let forms = actions.map { action -> JSONSchema in
            let document = JSONSchemaDocument(of: [action.type])
            let payload = document.payload(of: action, document.roots[0])
            return form(of: action, payload: payload, as: payload)
        }
        let action = forms.count == 1 ? forms[0] : .oneOf(forms)
        return .anyOf([action, .boundedArray(of: action, count: 1...batchMax)])
    }

    /// The definition of an action's payload, in the letters that OpenAPI allows.
    package static func payloadName(_ action: String) -> String {
        let letters = action.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": Character(scalar)
            default: "."
            }
        }
        return "payload." + String(letters)
    }

    /// Writes `$defs` into an open object, where there is anything to define.
    static func write(definitions: [Property], to object: inout JSONWriter) {
        guard !definitions.isEmpty else { return }
        object.key("$defs")
        object.object { members in
            for definition in definitions {
                members.key(definition.name)
                definition.schema.write(to: &members)
            }
        }
    }

    /// One action as the log has it.
    private static func record(_ type: JSONSchema, _ payload: JSONSchema) -> JSONSchema {
        .object([
            Property("version", .integer(minimum: 1, maximum: .max)),
            Property("time", .string()), Property("type", type), Property("payload", payload),
            Property("meta", .dictionary(of: .any), isRequired: false),
            Property("principal", .string(), isRequired: false),
            Property("role", .string(), isRequired: false),
            Property("cause", .integer(minimum: 0, maximum: .max), isRequired: false),
            Property("origin", .string(), isRequired: false), Property("changed", .boolean),
        ])
    }

    /// One action as it is sent: its payload may be absent or null when it has no fields (2.1).
    private static func form(
        of action: ActionForm,
        payload: JSONSchema,
        as reference: JSONSchema
    ) -> JSONSchema {
        return .object([
            Property("type", action.pattern.map { .text(pattern: $0) } ?? .strings([action.name])),
            Property(
                "payload",
                payload.acceptsNothing ? reference.orNull : reference,
                isRequired: !payload.acceptsNothing
            ),
            Property("meta", .dictionary(of: .any), isRequired: false),
            Property("recipients", .reference("Recipients"), isRequired: false),
            Property("emitter", .string(), isRequired: false),
        ])
    }

    /// Whether an action of this form may come without a payload.
    package var acceptsNothing: Bool {
        switch self {
        case .any, .null, .nullable: true
        case .object(let properties): properties.allSatisfy { !$0.isRequired }
        default: false
        }
    }
}

/// The wire name of what clients ask besides actions, as the log has it.
package enum LoggedRequest: Sendable {
    /// This one.
    case name(String)
    /// One that matches, with the id of an instance in it.
    case pattern(String)

    fileprivate var schema: JSONSchema {
        switch self {
        case .name(let name): .strings([name])
        case .pattern(let pattern): .text(pattern: pattern)
        }
    }
}

extension JSONSchema {
    /// The same object, of whose members any may be missing.
    fileprivate func inParts(_ definitions: [Property]) -> JSONSchema {
        switch self {
        case .object(let members):
            .object(members.map { Property($0.name, $0.schema, isRequired: false) })
        case .reference(let name):
            definitions.first { $0.name == name }?.schema.inParts(definitions) ?? self
        default: self
        }
    }
}
