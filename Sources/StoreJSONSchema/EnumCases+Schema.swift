import StoreJSON

extension EnumCases {
    /// Returns the schema of an enum with raw values: the list of the raw values.
    ///
    /// Returns `nil` if the type cannot be decoded from its raw values: an enum may have its own
    /// `Codable` that does not use them.
    static func schema(of type: any Decodable.Type) -> JSONSchema? {
        (type as? any (RawRepresentable & Decodable).Type).flatMap { rawSchema(of: $0) }
    }

    private static func rawSchema<Value: RawRepresentable & Decodable>(
        of type: Value.Type
    ) -> JSONSchema? {
        guard let cases = all(of: type), !cases.isEmpty,
            cases.allSatisfy({ canDecode(type, from: $0.rawValue) })
        else { return nil }
        if let texts = cases.map(\.rawValue) as? [String] { return .stringEnum(texts) }
        let numbers = cases.compactMap {
            ($0.rawValue as? any BinaryInteger).flatMap { Int64(exactly: $0) }
        }
        return numbers.count == cases.count ? .integerEnum(numbers) : nil
    }

    private static func canDecode<Value: RawRepresentable & Decodable>(
        _: Value.Type,
        from rawValue: Value.RawValue
    ) -> Bool {
        guard let value = try? Value(from: FixedValueDecoder(value: rawValue)) else { return false }
        return type(of: value.rawValue) == type(of: rawValue)
            && "\(value.rawValue)" == "\(rawValue)"
    }
}

/// A decoder with a single value as its input. Only the type of this value can be decoded.
private struct FixedValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: Any

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw SchemaProbeError.refused
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw SchemaProbeError.refused
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_: Value.Type) throws -> Value {
        guard let value = value as? Value else { throw SchemaProbeError.refused }
        return value
    }
}
