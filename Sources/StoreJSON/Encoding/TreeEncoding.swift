import StoreTexts

/// The slow path of the encoder, which builds a tree before it writes the document. The encoder
/// needs this path for rare values: their `encode(to:)` writes into two nested containers
/// alternately, or writes one key twice. The fast path writes the document from the beginning to
/// the end, so it cannot write such a value.
enum TreeEncoding {
    static func write<T: Encodable>(
        _ value: T,
        to state: EncodingStatePointer,
        adapters: AdapterList,
        userInfo: [CodingUserInfoKey: any Sendable]
    ) throws(JSONError) {
        state.pointee.restart()
        do {
            let surroundings = TreeEncoder.SharedState(userInfo: userInfo, adapters: adapters)
            let root = try TreeEncoder(sharedState: surroundings).node(of: value)
            guard !surroundings.isTooDeep else { throw EncodingError.tooDeep(value) }
            try root.write(to: state)
        } catch let error as EncodingError {
            throw JSONError(error, at: state.pointee.pointer)
        } catch {
            throw JSONError(
                code: .invalid,
                message: "The value's own encoding code threw an error.",
                failure: error
            )
        }
        guard !state.pointee.hasMisplacedValue else {
            throw JSONError(
                code: .unencodable,
                message: "The value's own encoding code encodes the same member or element twice, "
                    + "in different forms."
            )
        }
    }
}

final class TreeNode {
    enum Content {
        case nothing
        /// A value that the closure writes through the fast path.
        case leaf((EncodingStatePointer) throws -> Void)
        case array([TreeNode])
        case object(TreeMembers)
        /// The elements of a set, or the members of a dictionary whose keys are not names. The
        /// writer sorts them. An element has one node, and a member has two nodes: the key and the
        /// value.
        case unordered([[TreeNode]])
    }

    var content: Content

    init(_ content: Content = .nothing) { self.content = content }

    func member(_ key: String) -> TreeNode? {
        guard case .object(let members) = content else { return nil }
        return members[key]
    }

    /// Sets the value of a member. If the key has a value already, the new value takes its
    /// position.
    func put(_ node: TreeNode, _ key: String) {
        var members = TreeMembers()
        if case .object(let known) = content { members = known }
        // Release this node's reference to the members, so that adding a member does not copy them
        // all.
        content = .nothing
        members[key] = node
        content = .object(members)
    }

    func append(_ node: TreeNode) {
        var elements: [TreeNode] = []
        if case .array(let known) = content { elements = known }
        content = .nothing
        elements.append(node)
        content = .array(elements)
    }

    func write(to state: EncodingStatePointer) throws {
        switch content {
        case .nothing: state.pointee.output.raw("{}")
        case .leaf(let write): try write(state)
        case .array(let elements):
            state.pointee.output.byte(UInt8(ascii: "["))
            try Self.write(elements, to: state)
            state.pointee.output.byte(UInt8(ascii: "]"))
        case .object(let members):
            state.pointee.output.byte(UInt8(ascii: "{"))
            for (index, member) in members.all.enumerated() {
                if index > 0 { state.pointee.output.byte(UInt8(ascii: ",")) }
                state.pointee.output.string(member.key)
                state.pointee.output.byte(UInt8(ascii: ":"))
                try member.node.write(to: state)
            }
            state.pointee.output.byte(UInt8(ascii: "}"))
        case .unordered(let elements):
            try SortedArrayWriter.write(elements, to: state) { try Self.write($0, to: state) }
        }
    }

    private static func write(_ nodes: [TreeNode], to state: EncodingStatePointer) throws {
        for (index, node) in nodes.enumerated() {
            if index > 0 { state.pointee.output.byte(UInt8(ascii: ",")) }
            try node.write(to: state)
        }
    }
}

/// The members of an object, in the order in which the keys were first set.
struct TreeMembers {
    private(set) var all: [(key: String, node: TreeNode)] = []
    private var indexByKey: [ExactText: Int] = [:]

    subscript(key: String) -> TreeNode? {
        get { indexByKey[ExactText(key)].map { all[$0].node } }
        set {
            guard let newValue else { return }
            if let place = indexByKey[ExactText(key)] {
                all[place].node = newValue
            } else {
                indexByKey[ExactText(key)] = all.count
                all.append((key, newValue))
            }
        }
    }
}
