/// An encoder that records the keys of a value's own object, and nothing else.
final class KeyRecorder: Encoder {
    /// The most steps from a value to another value that it is encoded as.
    private static let depthMax = 8

    /// The keys, in the order in which they were written.
    private(set) var keys: [String] = []
    private var depth = 0

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members<Key>(recorder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements() }
    func singleValueContainer() -> any SingleValueEncodingContainer { Value(recorder: self) }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let recorder: KeyRecorder
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { recorder.keys.append(key.stringValue) }
        func encode<T: Encodable>(_ value: T, forKey key: Key) {
            recorder.keys.append(key.stringValue)
        }
        func nestedContainer<Other: CodingKey>(
            keyedBy type: Other.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Other> {
            recorder.keys.append(key.stringValue)
            return KeyRecorder().container(keyedBy: type)
        }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            recorder.keys.append(key.stringValue)
            return Elements()
        }
        func superEncoder() -> any Encoder {
            recorder.keys.append("super")
            return KeyRecorder()
        }
        func superEncoder(forKey key: Key) -> any Encoder {
            recorder.keys.append(key.stringValue)
            return KeyRecorder()
        }
    }

    private struct Elements: UnkeyedEncodingContainer {
        var codingPath: [any CodingKey] { [] }
        private(set) var count = 0

        mutating func encodeNil() { count += 1 }
        mutating func encode<T: Encodable>(_ value: T) { count += 1 }
        mutating func nestedContainer<Key: CodingKey>(
            keyedBy type: Key.Type
        ) -> KeyedEncodingContainer<Key> {
            count += 1
            return KeyRecorder().container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            count += 1
            return Elements()
        }
        mutating func superEncoder() -> any Encoder {
            count += 1
            return KeyRecorder()
        }
    }

    /// A container for a value that is written as another value.
    private struct Value: SingleValueEncodingContainer {
        let recorder: KeyRecorder
        var codingPath: [any CodingKey] { [] }

        func encodeNil() {}
        func encode<T: Encodable>(_ value: T) throws {
            guard recorder.depth < KeyRecorder.depthMax else { return }
            recorder.depth += 1
            try value.encode(to: recorder)
        }
    }
}
