package import StoreJSON

extension JSONSchema {
    /// The default for the maximum number of actions in one request (protocol 2.3).
    package static let arrayActionsMaxDefault = 1_000

    /// Returns the answer of `GET /schema`: the state and every action in one document (protocol
    /// 6.1).
    ///
    /// The root of the document is the schema of the state. The member `$defs` has the definitions
    /// of the store.
    package static func storeDocument(_ definitions: [Property]) -> Bytes {
        var writer = JSONWriter(capacity: 8_192)
        writer.object { object in
            object.member("$schema", dialect)
            reference("State").writeKeywords(to: &object)
            write(definitions: definitions, to: &object)
        }
        return writer.bytes
    }

    /// Returns the definitions of a store, for `GET /schema` and `GET /openapi.json`.
    ///
    /// `State` describes the state, `Dispatch` the body of `POST /dispatch`, and `Action` an action
    /// in this body. `LogRecord` describes a record of the log, and `Recipients` the recipients of
    /// an action. After these definitions, a definition for each action describes its payload; the
    /// name is `payload.` and the wire name. The last definitions are types that several schemas
    /// share.
    ///
    /// - Parameters:
    ///   - state: the type of the state.
    ///   - operatorState: the type of the state that operators read, if other clients read another
    ///     type.
    ///   - isPartial: if true, some clients read only some members of the state.
    ///   - actions: the actions that clients may dispatch.
    ///   - loggedActions: further actions that can be in the log. Only the program and its views
    ///     dispatch them.
    ///   - requests: the schemas of further wire names in the log: for calls of use cases and for
    ///     notifications. Their records have an empty payload.
    ///   - arrayActionsMax: the maximum number of actions in one request.
    /// - Returns: the definitions with their names: `State` first, the shared types last.
    package static func storeDefinitions(
        state: any Decodable.Type,
        operatorState: (any Decodable.Type)? = nil,
        isPartial: Bool = false,
        actions: [ActionSignature],
        loggedActions: [ActionSignature] = [],
        requests: [JSONSchema] = [],
        arrayActionsMax: Int = arrayActionsMaxDefault
    ) -> [Property] {
        let all = actions + loggedActions
        let payloadNames = all.map { payloadDefinitionName($0.name) }
        let others = operatorState.map { $0 == state ? [] : [$0] } ?? []
        let states = [state] + others
        let reserved = ["State", "Action", "Dispatch", "Recipients", "LogRecord"] + payloadNames
        let document = JSONSchemaDocument(of: states, and: all, reserved: Set(reserved))
        let payloads = all.map { document.payloadSchema(of: $0) }
        let forms = zip(actions, payloads).map { action, payload in
            actionSchema(
                of: action,
                payload: payload,
                as: .reference(payloadDefinitionName(action.name))
            )
        }
        let records =
            all.map { logRecordSchema($0.nameSchema, reference(payloadDefinitionName($0.name))) }
            + requests.map { logRecordSchema($0, .object([])) }
        let visible = document.roots.prefix(states.count).map {
            isPartial ? $0.withOptionalMembers(document) : $0
        }
        let action = reference("Action")
        return [
            Property("State", union(visible)),
            Property(
                "Dispatch",
                .anyOf([action, .boundedArray(of: action, count: 1...arrayActionsMax)])
            ),
            Property("Action", .oneOf(forms)),
            Property("LogRecord", .oneOf(records)),
            Property(
                "Recipients",
                .anyOf([
                    .stringEnum(["all", "emitter", "allExcludingEmitter"]),
                    .object([Property("authorized", .array(of: .string()))]),
                ])
            ),
        ] + zip(payloadNames, payloads).map { Property($0, $1) } + document.definitions
    }

    /// Returns the schema of a request's body: one of these actions, or an array of these actions.
    /// The schema contains the payloads. `Recipients`, and types that a payload uses several times,
    /// are references to the definitions of the store.
    package static func dispatchBody(
        of actions: [ActionSignature],
        arrayActionsMax: Int = arrayActionsMaxDefault
    )
        -> JSONSchema
    {
        let forms = actions.map { action -> JSONSchema in
            let document = JSONSchemaDocument(of: [action.type])
            let payload = document.payloadSchema(of: action)
            return actionSchema(of: action, payload: payload, as: payload)
        }
        let action = forms.count == 1 ? forms[0] : .oneOf(forms)
        return .anyOf([action, .boundedArray(of: action, count: 1...arrayActionsMax)])
    }

    /// Returns the name of the definition of an action's payload. The name has only characters that
    /// OpenAPI allows.
    package static func payloadDefinitionName(_ action: String) -> String {
        let letters = action.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": Character(scalar)
            default: "."
            }
        }
        return "payload." + String(letters)
    }

    /// Writes the member `$defs` into an object that the caller has begun. Writes nothing if there
    /// are no definitions.
    static func write(definitions: [Property], to object: inout JSONWriter) {
        guard !definitions.isEmpty else { return }
        object.object(as: "$defs") { members in
            for definition in definitions {
                definition.schema.write(as: definition.name, to: &members)
            }
        }
    }

    /// Returns the schema of a record in the log.
    private static func logRecordSchema(_ type: JSONSchema, _ payload: JSONSchema) -> JSONSchema {
        .object([
            Property("version", .integer(minimum: 1, maximum: .max)),
            Property("time", .string()), Property("type", type), Property("payload", payload),
            Property("meta", .dictionary(of: .any), isRequired: false),
            Property("principal", .string(), isRequired: false),
            Property("role", .string(), isRequired: false),
            Property("cause", .integer(minimum: 0, maximum: .max), isRequired: false),
            Property("origin", .string(), isRequired: false),
            Property("forgotten", .boolean, isRequired: false), Property("changed", .boolean),
        ])
    }

    /// Returns the schema of an action in a request. If the payload has no required members, the
    /// payload may be absent or null (protocol 2.1).
    private static func actionSchema(
        of action: ActionSignature,
        payload: JSONSchema,
        as reference: JSONSchema
    ) -> JSONSchema {
        .object([
            Property("type", action.nameSchema),
            Property(
                "payload",
                payload.acceptsMissingPayload ? reference.orNull : reference,
                isRequired: !payload.acceptsMissingPayload
            ),
            Property("meta", .dictionary(of: .any), isRequired: false),
            Property("recipients", .reference("Recipients"), isRequired: false),
            Property("emitter", .string(), isRequired: false),
        ])
    }

    /// True if an action with this payload may be sent without a payload.
    package var acceptsMissingPayload: Bool {
        switch self {
        case .any, .null, .nullable: true
        case .object(let properties): properties.allSatisfy { !$0.isRequired }
        default: false
        }
    }
}

extension JSONSchema {
    /// Returns the schema of an object with the same members, all of them optional.
    fileprivate func withOptionalMembers(_ document: JSONSchemaDocument) -> JSONSchema {
        switch self {
        case .object(let members):
            .object(members.map { Property($0.name, $0.schema, isRequired: false) })
        case .reference(let name): document.definition(name)?.withOptionalMembers(document) ?? self
        default: self
        }
    }
}
