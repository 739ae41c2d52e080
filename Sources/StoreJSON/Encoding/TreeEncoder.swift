/// The encoder of one value in the slow path. A type's `encode(to:)` gets this encoder and fills
/// ``node``.
struct TreeEncoder: Encoder {
    /// The data that all encoders of a tree share.
    final class SharedState {
        let userInfo: [CodingUserInfoKey: any Sendable]
        let adapters: AdapterList
        /// True if the value nests deeper than the encoder permits.
        var isTooDeep = false

        init(userInfo: [CodingUserInfoKey: any Sendable], adapters: AdapterList) {
            self.userInfo = userInfo
            self.adapters = adapters
        }
    }

    let sharedState: SharedState
    var codingPath: [any CodingKey] = []
    /// The number of nested calls of `encode(to:)` at this moment.
    var callDepth = 0
    var node = TreeNode()

    var userInfo: [CodingUserInfoKey: Any] { sharedState.userInfo }

    /// Returns an encoder for a member or an element of this value.
    func nestedEncoder(_ key: any CodingKey, _ node: TreeNode = TreeNode()) -> Self {
        // If the value is already too deep, the path does not matter and need not grow.
        let path = sharedState.isTooDeep ? codingPath : codingPath + [key]
        return Self(sharedState: sharedState, codingPath: path, callDepth: callDepth, node: node)
    }

    /// Returns true if a container may be added to the tree at this depth. Otherwise sets
    /// ``SharedState/isTooDeep``.
    @discardableResult
    func checkDepth() -> Bool {
        if codingPath.count >= JSONLimits.depthCeiling { sharedState.isTooDeep = true }
        return !sharedState.isTooDeep
    }

    /// Encodes a value, and returns its node. The caller adds the node to the tree, but only if no
    /// error was thrown.
    func node<T: Encodable>(of value: T) throws -> TreeNode {
        if let number = value as? Double, !number.isFinite { throw EncodingError.notFinite(number) }
        if let number = value as? Float, !number.isFinite { throw EncodingError.notFinite(number) }
        guard callDepth < JSONLimits.callDepthMax, !sharedState.isTooDeep,
            codingPath.count <= JSONLimits.depthCeiling
        else {
            sharedState.isTooDeep = true
            throw EncodingError.tooDeep(value)
        }
        guard encodesIntoTree(T.self) else { return TreeNode(.leaf { try $0.encode(value) }) }
        let inner = Self(sharedState: sharedState, codingPath: codingPath, callDepth: callDepth + 1)
        if let unordered = T.self as? any UnorderedEncodable.Type {
            return try inner.node(of: unordered.parts(of: value))
        }
        try value.encode(to: inner)
        if case .nothing = inner.node.content { inner.node.content = .object(TreeMembers()) }
        return inner.node
    }

    private func node(of parts: UnorderedParts) throws -> TreeNode {
        switch parts {
        case .sortedMembers(let members):
            node.content = .object(TreeMembers())
            for (key, value) in members {
                node.put(try nestedEncoder(JSONKey.name(key)).node(of: value), key)
            }
        case .unsortedElements(let elements):
            node.content = .unordered(
                try elements.enumerated().map { index, parts in
                    try parts.map { try nestedEncoder(JSONKey.index(index)).node(of: $0) }
                }
            )
        }
        return node
    }

    /// Returns true if the type's own code has to encode a value into the tree. Returns false if
    /// the fast path can encode a value as a leaf.
    private func encodesIntoTree<T>(_ type: T.Type) -> Bool {
        if sharedState.adapters.index(of: type) != nil { return false }
        return switch type {
        case is String.Type, is Bool.Type, is Double.Type, is Float.Type,
            is any FixedWidthInteger.Type:
            false
        default: true
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        checkDepth()
        if case .nothing = node.content { node.content = .object(TreeMembers()) }
        return KeyedEncodingContainer(TreeKeyedContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        checkDepth()
        if case .nothing = node.content { node.content = .array([]) }
        return TreeUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        TreeSingleValueContainer(encoder: self)
    }
}

private struct TreeKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: TreeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Returns the encoder for a nested container. If the key has a node already, the encoder adds
    /// to that node.
    private func nestedEncoder(_ key: any CodingKey) -> TreeEncoder {
        let name = key.stringValue
        if let known = encoder.node.member(name) { return encoder.nestedEncoder(key, known) }
        let nested = encoder.nestedEncoder(key)
        if nested.checkDepth() { encoder.node.put(nested.node, name) }
        return nested
    }

    func encodeNil(forKey key: Key) throws {
        encoder.node.put(TreeNode(.leaf { $0.pointee.output.raw("null") }), key.stringValue)
    }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        encoder.node.put(try encoder.nestedEncoder(key).node(of: value), key.stringValue)
    }
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nestedEncoder(key).container(keyedBy: keyType)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nestedEncoder(key).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { nestedEncoder(JSONKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(key) }
}

private struct TreeUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: TreeEncoder
    private(set) var count = 0
    var codingPath: [any CodingKey] { encoder.codingPath }

    private mutating func nestedEncoder() -> TreeEncoder {
        let nested = encoder.nestedEncoder(JSONKey.index(count))
        if nested.checkDepth() { append(nested.node) }
        return nested
    }

    private mutating func append(_ node: TreeNode) {
        encoder.node.append(node)
        count += 1
    }

    mutating func encodeNil() throws { append(TreeNode(.leaf { $0.pointee.output.raw("null") })) }
    mutating func encode<T: Encodable>(_ value: T) throws {
        append(try encoder.nestedEncoder(JSONKey.index(count)).node(of: value))
    }
    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nestedEncoder().container(keyedBy: keyType)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        nestedEncoder().unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { nestedEncoder() }
}

private struct TreeSingleValueContainer: SingleValueEncodingContainer {
    let encoder: TreeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws { encoder.node.content = .leaf { $0.pointee.output.raw("null") } }
    func encode<T: Encodable>(_ value: T) throws {
        encoder.node.content = try encoder.node(of: value).content
    }
}
