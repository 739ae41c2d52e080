/// Finds out what types are on the wire by letting them decode from nothing (protocol 6.1).
///
/// Each type's `init(from:)` runs against a ``SchemaProbe``, which notes the members and types that
/// are asked for and hands out dummies. Types with names become definitions; ``resolve(_:)`` puts
/// those that are used once where they are used. One thread at a time may use it; it is meant for
/// start-up, not for each request.
final class JSONSchemaDeriver {
    /// How many values an unkeyed container gives before it ends a loop that does not ask.
    static let elementsMax = 64
    /// How many cases of one enum are tried.
    static let choicesMax = 256
    /// How many kinds of dummies are tried on a type that refuses some.
    static let dummiesMax = SchemaDummies.strings.count
    /// How often `init(from:)` is run in all; what is not known by then may be anything.
    static let runsMax = 100_000
    /// How deep types are followed, with the stack in mind.
    static let depthMax = 128

    private let adapter: (any Any.Type) -> JSONSchema?

    private var names: [ObjectIdentifier: String] = [:]
    private var definitions: [String: JSONSchema] = [:]
    /// In the order in which they were met, which is the order in the document.
    private var order: [String] = []
    private var anonymous: [ObjectIdentifier: JSONSchema] = [:]
    private var dummies: [ObjectIdentifier: Any] = [:]
    private var constructing: Set<ObjectIdentifier> = []
    private var runs = 0
    private var depth = 0

    /// What the current run has counted and found.
    private var choices = 0
    private var single: ObjectIdentifier?

    /// - Parameters:
    ///   - reserved: names of definitions that types must not take.
    ///   - adapter: schemas of types that are not written as their `Codable` writes them.
    init(
        reserved: Set<String> = [],
        adapter: @escaping (any Any.Type) -> JSONSchema? = { _ in nil }
    ) {
        self.adapter = adapter
        for name in reserved { definitions[name] = .any }
    }

    // What is asked of it

    /// The schema of a type; a reference where the type has a name and is not written in a word.
    func schema<Value: Decodable>(of type: Value.Type) -> JSONSchema {
        if let known = known(type) { return known }
        let id = ObjectIdentifier(type)
        if let name = names[id] { return .reference(name) }
        if let schema = anonymous[id] { return schema }
        guard depth < Self.depthMax else { return .any }
        depth += 1
        defer { depth -= 1 }

        let name = define(type)
        let schema = EnumCases.schema(of: type, deriver: self) ?? derive(type)
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

    /// A value of the type, whatever it means; `nil` dummies and empty arrays keep it small.
    func dummy<Value: Decodable>(_ type: Value.Type, preferred: Int = 0) throws -> Value {
        if let ready = SchemaDummies.value(of: type, preferred) { return ready }
        let id = ObjectIdentifier(type)
        if let ready = dummies[id] as? Value { return ready }
        guard constructing.count < Self.depthMax, constructing.insert(id).inserted else {
            throw SchemaProbeError.noDummy
        }
        defer { constructing.remove(id) }

        // An enum without payloads needs no trial, and a trial could refuse every dummy text.
        if type is any RawRepresentable.Type, let value = EnumCases.all(of: type)?.first {
            dummies[id] = value
            return value
        }
        var attempt = SchemaProbe.Attempt()
        for dummy in 0..<Self.dummiesMax {
            attempt.dummy = dummy
            attempt.choice = 0
            repeat {
                let run = run(type, attempt)
                if let value = run.value {
                    dummies[id] = value
                    return value
                }
                attempt.choice += 1
                if attempt.choice >= min(run.choices, Self.choicesMax) { break }
            } while true
        }
        throw SchemaProbeError.noDummy
    }

    /// A value of each case of an enum, of those of which there is a dummy.
    func samples<Value: Decodable>(of type: Value.Type) -> [Value] {
        if EnumCases.schema(of: type, deriver: self) != nil, let all = EnumCases.all(of: type) {
            return all
        }
        let choices = run(type, SchemaProbe.Attempt()).choices
        return (0..<min(choices, Self.choicesMax)).compactMap { choice in
            fullest(type, SchemaProbe.Attempt(choice: choice)).value
        }
    }

    func noteChoices(_ count: Int) {
        choices = max(choices, count)
    }

    func noteSingle(_ type: Any.Type) {
        if single == nil { single = ObjectIdentifier(type) }
    }

    // Types without a run

    private func known(_ type: any Any.Type) -> JSONSchema? {
        if let schema = adapter(type) { return schema }
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
        run.value = try? Value(
            from: SchemaProbe(deriver: self, shape: run.shape, attempt: attempt)
        )
        (run.choices, run.single) = (choices, single)
        (choices, single) = outer
        return run
    }

    private func derive<Value: Decodable>(_ type: Value.Type) -> JSONSchema {
        let first = fullest(type, SchemaProbe.Attempt())
        if first.choices > 0 { return cases(type, first.choices) }
        guard first.single != nil else {
            // A type without fields asks for nothing, and is written as an empty object.
            let isEmpty = first.value != nil && !first.shape.isOpened
            return isEmpty ? .object([]) : first.shape.schema
        }
        return alternatives(type, first)
    }

    /// The first run that succeeds, or else the one that saw the most.
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

    /// An enum with payloads: each of its keys in turn, as an object with this one member.
    private func cases<Value: Decodable>(_ type: Value.Type, _ count: Int) -> JSONSchema {
        var shapes: [SchemaShape] = []
        for choice in 0..<min(count, Self.choicesMax) {
            let shape = fullest(type, SchemaProbe.Attempt(choice: choice)).shape
            shapes.append(shape)
        }
        let schemas = shapes.map(\.schema)
        guard shapes.allSatisfy({ $0.names.count == 1 }) else {
            // It looks at all of its keys for a reason of its own.
            return .union(schemas)
        }
        return schemas.count == 1 ? schemas[0] : .oneOf(schemas)
    }

    /// A single value that is tried as one type after another: what comes when each is refused.
    private func alternatives<Value: Decodable>(
        _ type: Value.Type,
        _ first: Run<Value>
    ) -> JSONSchema {
        var schemas = [first.shape.schema]
        var attempt = SchemaProbe.Attempt()
        var last = first
        while last.value != nil, let single = last.single,
            attempt.refused.insert(single).inserted
        {
            last = run(type, attempt)
            if last.value != nil { schemas.append(last.shape.schema) }
        }
        return .union(schemas)
    }

    // Names

    /// The shortest name of the type that no other has taken.
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

    /// A type's name in the letters that OpenAPI allows for components: `Page<Int>` is `Page_Int`.
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

    /// The roots with everything put in place that is used once, and the definitions that remain.
    func resolve(
        _ roots: [JSONSchema]
    ) -> (roots: [JSONSchema], definitions: [(name: String, schema: JSONSchema)]) {
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

        // What is used once cannot contain itself, so this ends.
        func placed(_ schema: JSONSchema) -> JSONSchema {
            if case .reference(let name) = schema, uses[name] == 1,
                let definition = definitions[name]
            {
                return placed(definition)
            }
            return schema.mapParts(placed)
        }
        let kept = order.filter { uses[$0, default: 0] > 1 }
        return (roots.map(placed), kept.map { ($0, placed(definitions[$0] ?? .any)) })
    }
}
