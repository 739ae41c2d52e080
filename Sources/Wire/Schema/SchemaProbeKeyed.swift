/// The members that a type asks for.
struct SchemaProbeKeyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: SchemaProbe

    var codingPath: [any CodingKey] { [] }

    /// One key at a time: an enum with payloads insists on exactly one, and is run once for each.
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

    /// Absent in every run, which also ends the recursion of types that contain themselves.
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

// The standard library's own `decodeIfPresent` for these types asks `contains` and `decodeNil`
// first, and would call each of them required. Each overload has to be answered.
extension SchemaProbeKeyed {
    private func absent<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
        probe.shape.member(key.stringValue, probe.schema(of: type).orNull, isRequired: false)
        return nil
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? { absent(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { absent(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) -> Double? { absent(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) -> Float? { absent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { absent(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) -> Int8? { absent(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) -> Int16? { absent(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) -> Int32? { absent(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) -> Int64? { absent(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) -> UInt? { absent(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) -> UInt8? { absent(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) -> UInt16? { absent(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) -> UInt32? { absent(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) -> UInt64? { absent(type, key) }
}
