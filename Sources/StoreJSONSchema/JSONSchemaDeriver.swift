import StoreJSON

/// Derives the schemas of types by decoding them from dummy values (protocol 6.1).
///
/// Each type's `init(from:)` runs against a ``SchemaProbe``, which records the requested members
/// and types and returns dummies. Types with names become definitions. If a definition is used only
/// once, ``resolve(_:)`` puts it in the place of its reference.
///
/// Only one thread at a time may use a deriver. The work is meant for start-up, not for each
/// request.
final class JSONSchemaDeriver {
    /// The maximum number of values of an unkeyed container, to end a loop that never asks for the
    /// end.
    static let elementsMax = 64
    /// The maximum number of cases of one enum that are tried.
    static let choicesMax = 256
    /// The maximum number of dummies for a type that refuses some of them.
    static let dummiesMax = SchemaDummies.strings.count
    /// The maximum number of runs of `init(from:)`. Types that need more runs have the schema of
    /// any value.
    static let runsMax = 100_000
    /// The maximum depth of nested types, which bounds the stack.
    static let depthMax = 128

    private var names: [ObjectIdentifier: String] = [:]
    private var definitions: [String: JSONSchema] = [:]
    /// The names of the definitions in the order of their first use, which is the order in the
    /// document.
    private var order: [String] = []
    private var anonymous: [ObjectIdentifier: JSONSchema] = [:]
    private var dummies: [ObjectIdentifier: Any] = [:]
    private var constructing: Set<ObjectIdentifier> = []
    private var runs = 0
    private var depth = 0

    /// The number of cases, and the type of the first single value, that the current run has
    /// recorded.
    private var choices = 0
    private var single: ObjectIdentifier?

    /// - Parameter reserved: names of definitions that types must not have.
    init(reserved: Set<String> = []) {
        for name in reserved { definitions[name] = .any }
    }

    // Derivation

    /// Returns the schema of a type; a reference if the type becomes a definition.
    func schema<Value: Decodable>(of type: Value.Type) -> JSONSchema {
        if let known = known(type) { return known }
        let id = ObjectIdentifier(type)
        if let name = names[id] { return .reference(name) }
        if let schema = anonymous[id] { return schema }
        guard depth < Self.depthMax else { return .any }
        depth += 1
        defer { depth -= 1 }

        let name = define(type)
        let schema = EnumCases.schema(of: type) ?? derive(type)
        if schema.isShort {
            names[id] = nil
            definitions[name] = nil
            order.removeAll { $0 == name }
            anonymous[id] = schema
            return schema
        }
        definitions[name] = schema
        return .reference(name)
    }

    /// Returns any value of the type. `nil` and empty arrays for its parts keep it small.
    func dummy<Value: Decodable>(_ type: Value.Type, preferred: Int = 0) throws -> Value {
        if let ready = SchemaDummies.value(of: type, preferred) { return ready }
        let id = ObjectIdentifier(type)
        if let ready = dummies[id] as? Value { return ready }
        guard constructing.count < Self.depthMax, constructing.insert(id).inserted else {
            throw SchemaProbeError.noDummy
        }
        defer { constructing.remove(id) }

        // An enum without payloads needs no trial: its `init(from:)` could refuse every dummy text.
        if type is any RawRepresentable.Type, let value = EnumCases.all(of: type)?.first {
            dummies[id] = value
            return value
        }
        for dummy in 0..<Self.dummiesMax {
            var attempt = SchemaProbe.Attempt(dummy: dummy)
            var choices = 1
            while attempt.choice < choices {
                let run = run(type, attempt)
                if let value = run.value {
                    dummies[id] = value
                    return value
                }
                choices = min(run.choices, Self.choicesMax)
                attempt.choice += 1
            }
        }
        throw SchemaProbeError.noDummy
    }

    /// Returns a value of each case of an enum, without the cases that have no dummy.
    func samples<Value: Decodable>(of type: Value.Type) -> [Value] {
        if EnumCases.schema(of: type) != nil, let all = EnumCases.all(of: type) { return all }
        let choices = run(type, SchemaProbe.Attempt()).choices
        return (0..<min(choices, Self.choicesMax)).compactMap { choice in
            fullest(type, SchemaProbe.Attempt(choice: choice)).value
        }
    }

    func noteChoices(_ count: Int) { choices = max(choices, count) }

    func noteSingle(_ type: Any.Type) {
        if single == nil { single = ObjectIdentifier(type) }
    }

    // Types without a run

    private func known(_ type: any Any.Type) -> JSONSchema? {
        if let providing = type as? any JSONSchemaProviding.Type { return providing.jsonSchema }
        if let built = type as? any SchemaBuiltIn.Type { return built.schema(by: self) }
        return nil
    }

    // Runs

    private struct Run<Value> {
        var value: Value?
        let shape = SchemaShape()
        var choices = 0
        var single: ObjectIdentifier?
    }

    private func run<Value: Decodable>(
        _ type: Value.Type,
        _ attempt: SchemaProbe.Attempt
    ) -> Run<Value> {
        var run = Run<Value>()
        guard runs < Self.runsMax else { return run }
        runs += 1
        let outer = (choices, single)
        (choices, single) = (0, nil)
        run.value = try? Value(from: SchemaProbe(deriver: self, shape: run.shape, attempt: attempt))
        (run.choices, run.single) = (choices, single)
        (choices, single) = outer
        return run
    }

    private func derive<Value: Decodable>(_ type: Value.Type) -> JSONSchema {
        let first = fullest(type, SchemaProbe.Attempt())
        if first.choices > 0 { return cases(type, first.choices) }
        guard first.single != nil else {
            // A type without fields opens no container; its JSON form is an empty object.
            let isEmpty = first.value != nil && first.shape.container == nil
            return isEmpty ? .object([]) : first.shape.schema
        }
        return alternatives(type, first)
    }

    /// Returns the first run that succeeds, or else the run that recorded the most members.
    private func fullest<Value: Decodable>(
        _ type: Value.Type,
        _ attempt: SchemaProbe.Attempt
    ) -> Run<Value> {
        var attempt = attempt
        var best = run(type, attempt)
        while best.value == nil, attempt.dummy + 1 < Self.dummiesMax {
            attempt.dummy += 1
            let next = run(type, attempt)
            if next.value != nil || next.shape.size > best.shape.size { best = next }
        }
        if let value = best.value, dummies[ObjectIdentifier(type)] == nil {
            dummies[ObjectIdentifier(type)] = value
        }
        return best
    }

    /// Returns the schema of an enum with payloads: an object with one member for each of its keys.
    private func cases<Value: Decodable>(_ type: Value.Type, _ count: Int) -> JSONSchema {
        let shapes = (0..<min(count, Self.choicesMax)).map { choice in
            fullest(type, SchemaProbe.Attempt(choice: choice)).shape
        }
        let schemas = shapes.map(\.schema)
        guard shapes.allSatisfy({ $0.names.count == 1 }) else {
            // The type reads `allKeys`, but not as an enum with payloads does.
            return .union(schemas)
        }
        return schemas.count == 1 ? schemas[0] : .oneOf(schemas)
    }

    /// Returns the schema of a type that tries one type after another for its single value. Each
    /// run refuses one type more than the run before, so that the value tries its next type.
    private func alternatives<Value: Decodable>(
        _ type: Value.Type,
        _ first: Run<Value>
    ) -> JSONSchema {
        var schemas = [first.shape.schema]
        var attempt = SchemaProbe.Attempt()
        var last = first
        while last.value != nil, let single = last.single, attempt.refused.insert(single).inserted {
            last = run(type, attempt)
            if last.value != nil { schemas.append(last.shape.schema) }
        }
        return .union(schemas)
    }

    // Names

    /// Returns the shortest name for the type that no other type has, and reserves it.
    private func define(_ type: any Any.Type) -> String {
        let qualified = JSONSchemaDeriver.identifier(String(reflecting: type))
        let short = JSONSchemaDeriver.identifier(String(describing: type))
        var name = definitions[short] == nil ? short : qualified
        var number = 2
        while definitions[name] != nil {
            name = "\(qualified)_\(number)"
            number += 1
        }
        names[ObjectIdentifier(type)] = name
        definitions[name] = .any
        order.append(name)
        return name
    }

    /// Returns a type's name in the letters that OpenAPI allows for components: `Page<Int>` becomes
    /// `Page_Int`.
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

    /// Returns the roots and the remaining definitions. A definition that is used only once is put
    /// in the place of its reference.
    func resolve(
        _ roots: [JSONSchema]
    ) -> (roots: [JSONSchema], definitions: [JSONSchema.Property]) {
        var uses: [String: Int] = [:]
        var visited: Set<String> = []
        func count(_ schema: JSONSchema) {
            if case .reference(let name) = schema {
                uses[name, default: 0] += 1
                if visited.insert(name).inserted, let definition = definitions[name] {
                    count(definition)
                }
            }
            _ = schema.mapParts { part in
                count(part)
                return part
            }
        }
        roots.forEach(count)

        // A definition that is used once cannot contain itself, so this recursion ends.
        func placed(_ schema: JSONSchema) -> JSONSchema {
            if case .reference(let name) = schema, uses[name] == 1,
                let definition = definitions[name]
            {
                return placed(definition)
            }
            return schema.mapParts(placed)
        }
        let kept = order.filter { uses[$0, default: 0] > 1 }
        return (roots.map(placed), kept.map { .init($0, placed(definitions[$0] ?? .any)) })
    }
}
