/// The long way to encode: builds a tree first, for the rare value whose own `encode(to:)` writes
/// into two nested containers by turns, so that its bytes do not come in the order of the document.
enum InterleavedEncoding {
    static func write<T: Encodable>(
        _ value: T,
        to state: EncodingStatePointer,
        adapters: [ObjectIdentifier: JSONAdapter],
        userInfo: [CodingUserInfoKey: any Sendable]
    ) throws(JSONError) {
        let tree = TreeEncoder(codingPath: [], userInfo: userInfo, adapters: adapters)
        do {
            try tree.node.set(value, tree)
        } catch let error as EncodingError {
            throw JSONError(error, at: "")
        } catch {
            throw JSONError(
                code: .invalid,
                message: "The value's own code refused to encode it: \(error)."
            )
        }
        state.pointee.restart()
        do {
            try tree.node.write(to: state)
        } catch let error as EncodingError {
            throw JSONError(error, at: state.pointee.pointer)
        } catch {
            throw JSONError(code: .unencodable, message: "\(error)")
        }
        guard !state.pointee.interleaved else {
            throw JSONError(
                code: .unencodable,
                message: "The value's own code encodes into one place twice, in different forms."
            )
        }
    }
}

/// One value of the tree: nothing yet, a leaf that the fast path writes, an array or an object.
private final class TreeNode {
    enum Content {
        case nothing
        case leaf((EncodingStatePointer) throws -> Void)
        case array([TreeNode])
        case object([(key: String, node: TreeNode)])
    }

    var content = Content.nothing

    /// Takes a value: leaves are remembered, others unfold themselves into this node.
    func set<T: Encodable>(_ value: T, _ encoder: TreeEncoder) throws {
        if let number = value as? Double, !number.isFinite { throw Self.notFinite(number) }
        if let number = value as? Float, !number.isFinite { throw Self.notFinite(number) }
        guard encoder.codingPath.count < JSONLimits.depthCeiling else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "The value nests deeper than \(JSONLimits.depthCeiling)."
                )
            )
        }
        if value is any UnorderedEncodable || !encoder.unfolds(T.self) {
            content = .leaf { try $0.encode(value) }
            return
        }
        try value.encode(
            to: TreeEncoder(
                codingPath: encoder.codingPath,
                userInfo: encoder.sendableUserInfo,
                adapters: encoder.adapters,
                node: self
            )
        )
        if case .nothing = content { content = .object([]) }
    }

    private static func notFinite(_ number: some BinaryFloatingPoint) -> EncodingError {
        EncodingError.invalidValue(
            number,
            EncodingError.Context(
                codingPath: [],
                debugDescription: "JSON has no number for \(number)."
            )
        )
    }

    /// Forgets a part that could not be written, for a type whose own code passes over that.
    func remove(_ part: TreeNode) {
        switch content {
        case .object(let members): content = .object(members.filter { $0.node !== part })
        case .array(let elements): content = .array(elements.filter { $0 !== part })
        case .nothing, .leaf: break
        }
    }

    func member(_ key: String) -> TreeNode {
        var members: [(key: String, node: TreeNode)] = []
        if case .object(let known) = content { members = known }
        let node = TreeNode()
        members.append((key, node))
        content = .object(members)
        return node
    }

    func element() -> TreeNode {
        var elements: [TreeNode] = []
        if case .array(let known) = content { elements = known }
        let node = TreeNode()
        elements.append(node)
        content = .array(elements)
        return node
    }

    func write(to state: EncodingStatePointer) throws {
        switch content {
        case .nothing: state.pointee.output.raw("{}")
        case .leaf(let write): try write(state)
        case .array(let elements):
            state.pointee.output.byte(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { state.pointee.output.byte(UInt8(ascii: ",")) }
                try element.write(to: state)
            }
            state.pointee.output.byte(UInt8(ascii: "]"))
        case .object(let members):
            state.pointee.output.byte(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { state.pointee.output.byte(UInt8(ascii: ",")) }
                state.pointee.output.string(member.key)
                state.pointee.output.byte(UInt8(ascii: ":"))
                try member.node.write(to: state)
            }
            state.pointee.output.byte(UInt8(ascii: "}"))
        }
    }
}

private struct TreeEncoder: Encoder {
    let codingPath: [any CodingKey]
    let sendableUserInfo: [CodingUserInfoKey: any Sendable]
    let adapters: [ObjectIdentifier: JSONAdapter]
    let node: TreeNode

    init(
        codingPath: [any CodingKey],
        userInfo: [CodingUserInfoKey: any Sendable],
        adapters: [ObjectIdentifier: JSONAdapter],
        node: TreeNode = TreeNode()
    ) {
        self.codingPath = codingPath
        sendableUserInfo = userInfo
        self.adapters = adapters
        self.node = node
    }

    var userInfo: [CodingUserInfoKey: Any] { sendableUserInfo }

    /// Whether a type's own code is run here; scalars are left to the fast path.
    func unfolds<T>(_ type: T.Type) -> Bool {
        if adapters[ObjectIdentifier(type)] != nil { return false }
        return switch type {
        case is String.Type, is Bool.Type, is Double.Type, is Float.Type,
            is any FixedWidthInteger.Type:
            false
        default:
            true
        }
    }

    func at(_ key: any CodingKey, _ node: TreeNode) -> TreeEncoder {
        TreeEncoder(
            codingPath: codingPath + [key],
            userInfo: sendableUserInfo,
            adapters: adapters,
            node: node
        )
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .nothing = node.content { node.content = .object([]) }
        return KeyedEncodingContainer(TreeKeyed<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .nothing = node.content { node.content = .array([]) }
        return TreeUnkeyed(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        TreeSingle(encoder: self)
    }
}

private struct TreeKeyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: TreeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    private func nested(_ key: any CodingKey) -> TreeEncoder {
        encoder.at(key, encoder.node.member(key.stringValue))
    }

    func encodeNil(forKey key: Key) throws {
        nested(key).node.content = .leaf { $0.pointee.output.raw("null") }
    }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let nested = nested(key)
        do {
            try nested.node.set(value, nested)
        } catch {
            encoder.node.remove(nested.node)
            throw error
        }
    }
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key).container(keyedBy: keyType)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { nested(JSONKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

private struct TreeUnkeyed: UnkeyedEncodingContainer {
    let encoder: TreeEncoder
    private(set) var count = 0
    var codingPath: [any CodingKey] { encoder.codingPath }

    init(encoder: TreeEncoder) {
        self.encoder = encoder
    }

    private mutating func nested() -> TreeEncoder {
        defer { count += 1 }
        return encoder.at(JSONKey(intValue: count), encoder.node.element())
    }

    mutating func encodeNil() throws {
        nested().node.content = .leaf { $0.pointee.output.raw("null") }
    }
    mutating func encode<T: Encodable>(_ value: T) throws {
        let nested = nested()
        do {
            try nested.node.set(value, nested)
        } catch {
            encoder.node.remove(nested.node)
            throw error
        }
    }
    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nested().container(keyedBy: keyType)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        nested().unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { nested() }
}

private struct TreeSingle: SingleValueEncodingContainer {
    let encoder: TreeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws {
        encoder.node.content = .leaf { $0.pointee.output.raw("null") }
    }
    func encode<T: Encodable>(_ value: T) throws {
        try encoder.node.set(value, encoder)
    }
}
