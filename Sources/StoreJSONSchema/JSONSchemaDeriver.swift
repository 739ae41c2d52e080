import StoreJSON

/// A deriver of schemas, which decodes types from dummy values (protocol 6.1).
///
/// The deriver runs the `init(from:)` of each type with a ``SchemaProbe`` as decoder. The probe
/// records the members and values that the type reads. A type becomes a definition, unless its
/// schema is short. If only one reference leads to a definition, ``inlineSingleReferences(_:)``
/// replaces the reference by the definition.
///
/// Only one thread at a time may use a deriver. Deriving is slow, so only start-up should do it.
final class JSONSchemaDeriver {
    /// The maximum number of elements that a run reads from an unkeyed container. The bound ends a
    /// loop that never reads `isAtEnd`.
    static let elementsMax = 64
    /// The maximum number of cases of one enum that the deriver tries.
    static let casesMax = 256
    /// The maximum number of runs with different dummy values, for a type that refuses some dummy
    /// values.
    static let dummyRunsMax = SchemaDummies.strings.count
    /// The maximum number of runs of `init(from:)`, for all types together. Types that would need
    /// further runs get the schema of any value.
    static let runsMax = 100_000
    /// The maximum depth of nested types, which bounds the stack.
    static let depthMax = 128

    private var definitionNameByType: [ObjectIdentifier: String] = [:]
    private var definitions: [String: JSONSchema] = [:]
    /// The names of the definitions in the order of their first use. The document has the same
    /// order.
    private var definitionOrder: [String] = []
    private var shortSchemas: [ObjectIdentifier: JSONSchema] = [:]
    private var dummies: [ObjectIdentifier: Any] = [:]
    private var typesInConstruction: Set<ObjectIdentifier> = []
    private var runCount = 0
    private var depth = 0

    /// The observations of the current run: the number of keys in `allKeys`, and the type of the
    /// first single value. The number is 0 if the run has not read `allKeys`.
    private var keyCount = 0
    private var firstSingleValueType: ObjectIdentifier?

    /// - Parameter reserved: names that no definition of a type may have.
    init(reserved: Set<String> = []) {
        for name in reserved { definitions[name] = .any }
    }

    // Derivation

    /// Returns the schema of a type. If the type becomes a definition, the result is a reference.
    func schema<Value: Decodable>(of type: Value.Type) -> JSONSchema {
        if let known = declaredSchema(of: type) { return known }
        let id = ObjectIdentifier(type)
        if let name = definitionNameByType[id] { return .reference(name) }
        if let schema = shortSchemas[id] { return schema }
        guard depth < Self.depthMax else { return .any }
        depth += 1
        defer { depth -= 1 }

        let name = reserveName(for: type)
        let schema = EnumCases.schema(of: type) ?? derive(type)
        if schema.isShort {
            definitionNameByType[id] = nil
            definitions[name] = nil
            definitionOrder.removeAll { $0 == name }
            shortSchemas[id] = schema
            return schema
        }
        definitions[name] = schema
        return .reference(name)
    }

    /// Returns any value of the type. The optional parts of the value are `nil`, and its arrays are
    /// empty.
    func dummy<Value: Decodable>(_ type: Value.Type, preferred: Int = 0) throws -> Value {
        if let ready = SchemaDummies.value(of: type, preferred) { return ready }
        let id = ObjectIdentifier(type)
        if let ready = dummies[id] as? Value { return ready }
        guard typesInConstruction.count < Self.depthMax, typesInConstruction.insert(id).inserted
        else {
            throw SchemaProbeError.noDummy
        }
        defer { typesInConstruction.remove(id) }

        // An enum without payloads needs no run. In a run, its `init(from:)` could refuse every
        // dummy text.
        if type is any RawRepresentable.Type, let value = EnumCases.all(of: type)?.first {
            dummies[id] = value
            return value
        }
        for dummy in 0..<Self.dummyRunsMax {
            var attempt = SchemaProbe.Attempt(dummyIndex: dummy)
            var choices = 1
            while attempt.keyIndex < choices {
                let run = run(type, attempt)
                if let value = run.value {
                    dummies[id] = value
                    return value
                }
                choices = min(run.keyCount, Self.casesMax)
                attempt.keyIndex += 1
            }
        }
        throw SchemaProbeError.noDummy
    }

    /// Returns a value of each case of an enum. The result has no value for a case that cannot be
    /// decoded from dummy values.
    func samples<Value: Decodable>(of type: Value.Type) -> [Value] {
        if EnumCases.schema(of: type) != nil, let all = EnumCases.all(of: type) { return all }
        let choices = run(type, SchemaProbe.Attempt()).keyCount
        return (0..<min(choices, Self.casesMax)).compactMap { choice in
            bestRun(type, SchemaProbe.Attempt(keyIndex: choice)).value
        }
    }

    func noteKeyCount(_ count: Int) { keyCount = max(keyCount, count) }

    func noteSingleValueType(_ type: Any.Type) {
        if firstSingleValueType == nil { firstSingleValueType = ObjectIdentifier(type) }
    }

    // Types without a run

    private func declaredSchema(of type: any Any.Type) -> JSONSchema? {
        if let providing = type as? any JSONSchemaProviding.Type { return providing.jsonSchema }
        if let built = type as? any SchemaBuiltIn.Type { return built.schema(by: self) }
        return nil
    }

    // Runs

    private struct Run<Value> {
        var value: Value?
        let shape = SchemaShape()
        var keyCount = 0
        var firstSingleValueType: ObjectIdentifier?
    }

    private func run<Value: Decodable>(
        _ type: Value.Type,
        _ attempt: SchemaProbe.Attempt
    ) -> Run<Value> {
        var run = Run<Value>()
        guard runCount < Self.runsMax else { return run }
        runCount += 1
        let outer = (keyCount, firstSingleValueType)
        (keyCount, firstSingleValueType) = (0, nil)
        run.value = try? Value(from: SchemaProbe(deriver: self, shape: run.shape, attempt: attempt))
        (run.keyCount, run.firstSingleValueType) = (keyCount, firstSingleValueType)
        (keyCount, firstSingleValueType) = outer
        return run
    }

    private func derive<Value: Decodable>(_ type: Value.Type) -> JSONSchema {
        let first = bestRun(type, SchemaProbe.Attempt())
        if first.keyCount > 0 { return schemaOfCases(type, first.keyCount) }
        guard first.firstSingleValueType != nil else {
            // A type without properties reads no container. Its JSON form is an empty object.
            let isEmpty = first.value != nil && first.shape.containerKind == nil
            return isEmpty ? .object([]) : first.shape.schema
        }
        return schemaOfAlternatives(type, first)
    }

    /// Runs the type's `init(from:)` repeatedly, each time with other dummy values. Returns the
    /// first run that succeeds. If no run succeeds, returns the run that recorded the most members.
    private func bestRun<Value: Decodable>(
        _ type: Value.Type,
        _ attempt: SchemaProbe.Attempt
    ) -> Run<Value> {
        var attempt = attempt
        var best = run(type, attempt)
        while best.value == nil, attempt.dummyIndex + 1 < Self.dummyRunsMax {
            attempt.dummyIndex += 1
            let next = run(type, attempt)
            if next.value != nil || next.shape.notedCount > best.shape.notedCount {
                best = next
            }
        }
        if let value = best.value, dummies[ObjectIdentifier(type)] == nil {
            dummies[ObjectIdentifier(type)] = value
        }
        return best
    }

    /// Returns the schema of an enum with payloads. For each case, the schema permits an object
    /// with one member.
    private func schemaOfCases<Value: Decodable>(_ type: Value.Type, _ count: Int) -> JSONSchema {
        let shapes = (0..<min(count, Self.casesMax)).map { choice in
            bestRun(type, SchemaProbe.Attempt(keyIndex: choice)).shape
        }
        let schemas = shapes.map(\.schema)
        guard shapes.allSatisfy({ $0.memberNames.count == 1 }) else {
            // The type reads `allKeys`, but is no enum with payloads.
            return .union(schemas)
        }
        return schemas.count == 1 ? schemas[0] : .oneOf(schemas)
    }

    /// Returns the schema of a type that tries to decode several types from its single value
    /// container. Each run refuses one more type than the preceding run, so that the type tries its
    /// next alternative.
    private func schemaOfAlternatives<Value: Decodable>(
        _ type: Value.Type,
        _ first: Run<Value>
    ) -> JSONSchema {
        var schemas = [first.shape.schema]
        var attempt = SchemaProbe.Attempt()
        var last = first
        while last.value != nil, let single = last.firstSingleValueType,
            attempt.refusedTypes.insert(single).inserted
        {
            last = run(type, attempt)
            if last.value != nil { schemas.append(last.shape.schema) }
        }
        return .union(schemas)
    }

    // Names

    /// Chooses the shortest name that no other definition has, reserves the name for the type, and
    /// returns it.
    private func reserveName(for type: any Any.Type) -> String {
        let qualified = JSONSchemaDeriver.identifier(String(reflecting: type))
        let short = JSONSchemaDeriver.identifier(String(describing: type))
        var name = definitions[short] == nil ? short : qualified
        var number = 2
        while definitions[name] != nil {
            name = "\(qualified)_\(number)"
            number += 1
        }
        definitionNameByType[ObjectIdentifier(type)] = name
        definitions[name] = .any
        definitionOrder.append(name)
        return name
    }

    /// Returns a type's name with only the characters that OpenAPI allows for components.
    /// `Page<Int>` becomes `Page_Int`.
    private static func identifier(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_": text.unicodeScalars.append(scalar)
            case ">", ")", " ": break
            default: if text.last != "_" { text += "_" }
            }
        }
        return text
    }

    // The document

    /// Returns the roots and the definitions that remain. If only one reference leads to a
    /// definition, the definition replaces the reference and does not remain.
    func inlineSingleReferences(
        _ roots: [JSONSchema]
    ) -> (roots: [JSONSchema], definitions: [JSONSchema.Property]) {
        var referenceCounts: [String: Int] = [:]
        var visited: Set<String> = []
        func countReferences(in schema: JSONSchema) {
            if case .reference(let name) = schema {
                referenceCounts[name, default: 0] += 1
                if visited.insert(name).inserted, let definition = definitions[name] {
                    countReferences(in: definition)
                }
            }
            _ = schema.mapParts { part in
                countReferences(in: part)
                return part
            }
        }
        roots.forEach(countReferences)

        // A definition with a single reference cannot contain itself, so this recursion ends.
        func inlined(_ schema: JSONSchema) -> JSONSchema {
            if case .reference(let name) = schema, referenceCounts[name] == 1,
                let definition = definitions[name]
            {
                return inlined(definition)
            }
            return schema.mapParts(inlined)
        }
        let kept = definitionOrder.filter { referenceCounts[$0, default: 0] > 1 }
        return (roots.map(inlined), kept.map { .init($0, inlined(definitions[$0] ?? .any)) })
    }
}
