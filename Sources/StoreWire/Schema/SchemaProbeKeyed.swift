/// The container for the members that a type asks for.
struct SchemaProbeKeyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: SchemaProbe

    var codingPath: [any CodingKey] { [] }

    /// A single key: an enum with payloads demands exactly one key, and runs once for each key.
    var allKeys: [Key] {
        guard let keys = EnumCases.all(of: Key.self) else { return [] }
        if probe.isRoot { probe.deriver.noteChoices(keys.count) }
        let choice = probe.attempt.choice
        return keys.indices.contains(choice) ? [keys[choice]] : Array(keys.prefix(1))
    }

    func contains(_ key: Key) -> Bool {
        probe.shape.asked(for: key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool {
        probe.shape.askedForNull(key.stringValue)
        return false
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        probe.shape.member(key.stringValue, probe.schema(of: type), isRequired: true)
        return try probe.dummy(type)
    }

    /// Records an optional member and returns `nil`: the member is absent in every run. This ends
    /// the recursion of types that contain themselves.
    ///
    /// The function implements each of the protocol's overloads. Their default implementations
    /// would decode the member.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? {
        probe.shape.member(key.stringValue, probe.schema(of: type).orNull, isRequired: false)
        return nil
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedDecodingContainer<NestedKey> {
        probe.part(probe.shape.child(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
        probe.part(probe.shape.child(key.stringValue)).unkeyedContainer()
    }

    func superDecoder() -> any Decoder {
        probe.part(probe.shape.child("super"))
    }

    func superDecoder(forKey key: Key) -> any Decoder {
        probe.part(probe.shape.child(key.stringValue))
    }
}
