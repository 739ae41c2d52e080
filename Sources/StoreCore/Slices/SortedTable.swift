import Synchronization

/// A table of objects under names, sorted by the bytes of the names. A change leaves older versions
/// of the table unchanged. The versions share most of their nodes, so an older version needs little
/// memory.
///
/// If a dictionary has a second reference, the next change copies the whole dictionary. The state
/// always has a second reference: in a batch that may be rolled back, in a reaction, or in an
/// observer. This table is a balanced tree whose nodes never change. A change makes new nodes on
/// the path to one name, and shares all other nodes with the older versions. So any thread may read
/// any version.
///
/// Cost: a look-up or a change takes log2(count) steps. An iteration takes one step for each
/// object.
package struct SortedTable<Value: AnyObject & Sendable>: Sendable {
    private var root: SortedNode?

    /// Casts an object to the type that all objects of the table have.
    @inline(__always)
    private static func cast(_ value: AnyValue) -> Value {
        // Safety: the table contains only objects of this type.
        unsafeDowncast(value, to: Value.self)
    }

    package init() {}

    /// Makes a table of sorted members. Each name occurs once.
    package init(sorted members: [(key: String, value: Value)]) {
        root = .balancedTree(of: members.map { ($0.key, $0.value) }[...])
    }

    package var count: Int { root?.count ?? 0 }

    /// The object of a name; the assignment of `nil` removes the object.
    package subscript(key: String) -> Value? {
        get { root?.find(key).map(Self.cast) }
        set {
            if let newValue {
                root = SortedNode.inserting(key, newValue, into: root)
            } else if let root, root.find(key) != nil {
                self.root = SortedNode.removing(key, from: root)
            }
        }
    }

    /// Returns the names whose objects differ from another version, sorted. Each name comes with
    /// its object in this version; `nil` if this version does not have the name.
    ///
    /// Cost: log2(count) steps for each change, because subtrees that both versions share are
    /// skipped.
    package func differences(from old: SortedTable) -> [(key: String, value: Value?)] {
        var found: [(key: String, value: Value?)] = []
        forEachDifference(from: old) { key, new, _ in
            found.append((key, new))
            return true
        }
        return found
    }

    /// Calls `body` with each name under which both versions have different objects, in order,
    /// until `body` returns `false`.
    package func forEachDifference(
        from old: SortedTable,
        _ body: (_ key: String, _ new: Value?, _ old: Value?) -> Bool
    ) {
        _ = SortedNode.forEachDifference(root, old.root) { key, new, old in
            body(key, new.map(Self.cast), old.map(Self.cast))
        }
    }

    /// Returns the names with this prefix, sorted. Cost: log2(count) steps, and a step for each of
    /// these names.
    package func keys(withPrefix prefix: String) -> [String] {
        var keys: [String] = []
        root?.forEachKey(withPrefix: Array(prefix.utf8)) { keys.append($0) }
        return keys
    }

    /// The number of nodes on the longest path from the root of the tree to a name.
    package var depth: Int { root?.depth ?? 0 }

    /// Returns true if both tables are the same version. Two versions with equal objects may be
    /// different versions.
    package func isIdentical(to other: SortedTable) -> Bool { root === other.root }

    /// The member with the first name; `nil` if the table is empty.
    var first: (key: String, value: Value)? {
        root.map { $0.first }.map { ($0.key, Self.cast($0.value)) }
    }

    /// The member with the last name; `nil` if the table is empty.
    var last: (key: String, value: Value)? {
        root.map { $0.last }.map { ($0.key, Self.cast($0.value)) }
    }

    /// Returns the same version as a table of a superclass of the objects.
    package func asTable<Base>(of _: Base.Type) -> SortedTable<Base> { SortedTable<Base>(root) }

    fileprivate init(_ root: SortedNode?) { self.root = root }

    /// Returns the sum of the weights of all objects. `weight` is called in the order of the names.
    ///
    /// Each node keeps the sum of its subtree. So `weight` is called only for the objects of new
    /// nodes. After a change, about log2(count) nodes are new. All calls for a table and for its
    /// versions have to use the same weights, which are greater than 0.
    package func sum(of weight: (_ key: String, _ value: Value) throws -> Int) rethrows -> Int {
        try root?.sum { try weight($0, Self.cast($1)) } ?? 0
    }
}

extension SortedTable: Sequence {
    package struct Iterator: IteratorProtocol {
        /// The remaining nodes, as a stack: the last element is the next node. After a node, the
        /// iterator visits the right side of the node.
        private var nodesToVisit: [SortedNode] = []

        fileprivate init(_ root: SortedNode?) { descend(from: root) }

        /// Makes an iterator that begins with the member under `key`, or with the next member after
        /// `key`.
        fileprivate init(_ root: SortedNode?, from key: String) {
            var node = root
            while let next = node {
                let order = key.byteOrder(comparedTo: next.key)
                if order <= 0 { nodesToVisit.append(next) }
                if order == 0 { return }
                node = order < 0 ? next.left : next.right
            }
        }

        private mutating func descend(from root: SortedNode?) {
            var node = root
            while let next = node {
                nodesToVisit.append(next)
                node = next.left
            }
        }

        package mutating func next() -> (key: String, value: Value)? {
            guard let node = nodesToVisit.popLast() else { return nil }
            descend(from: node.right)
            return (node.key, SortedTable.cast(node.value))
        }
    }

    package func makeIterator() -> Iterator { Iterator(root) }

    /// Returns an iterator over the members from a name on; over all members if `key` is `nil`.
    package func makeIterator(from key: String?) -> Iterator {
        key.map { Iterator(root, from: $0) } ?? Iterator(root)
    }

    package var underestimatedCount: Int { count }
}

/// An object of a table, without its type. All nodes have the same type, so no operation looks up a
/// generic type at run time.
private typealias AnyValue = any AnyObject & Sendable

/// A walk through a table in order. The next item is a single member or a subtree. The caller skips
/// the item, or descends into the subtree.
private struct TreeWalk {
    enum Item {
        case tree(SortedNode)
        /// The member of a node, without the sides of the node.
        case member(SortedNode)
    }

    /// The remaining items, as a stack: the last element is the next item.
    private var itemStack: [Item]

    init(_ root: SortedNode?) { itemStack = root.map { [.tree($0)] } ?? [] }

    var next: Item? { itemStack.last }

    mutating func skip() { itemStack.removeLast() }

    /// Replaces the next subtree by its left side, its member and its right side.
    mutating func descend() {
        guard case .tree(let node)? = itemStack.popLast() else { return }
        if let right = node.right { itemStack.append(.tree(right)) }
        itemStack.append(.member(node))
        if let left = node.left { itemStack.append(.tree(left)) }
    }
}

/// A node of the tree: a member of the table, with a left side of smaller names and a right side of
/// greater names. Neither side has more than three times the members of the other side, so the
/// depth of the tree stays logarithmic (Adams, *Efficient sets*, 1993).
private final class SortedNode: Sendable {
    let key: String
    let value: AnyValue
    let left: SortedNode?
    let right: SortedNode?
    let count: Int
    /// The kept sum of ``sum(of:)``; 0 until the first call.
    private let cachedSum = Atomic<Int>(0)

    init(_ key: String, _ value: AnyValue, _ left: SortedNode?, _ right: SortedNode?) {
        self.key = key
        self.value = value
        self.left = left
        self.right = right
        count = 1 + (left?.count ?? 0) + (right?.count ?? 0)
    }

    func find(_ key: String) -> (AnyValue)? {
        let order = key.byteOrder(comparedTo: self.key)
        if order == 0 { return value }
        return order < 0 ? left?.find(key) : right?.find(key)
    }

    /// Calls `body` with each name under which two subtrees have different objects, in order, until
    /// `body` returns `false`. Returns false if `body` has returned false.
    ///
    /// Most changes leave the shape of the tree unchanged. Both subtrees then have the same names
    /// at the same positions, and only the nodes on the path to a change differ.
    static func forEachDifference(
        _ a: SortedNode?,
        _ b: SortedNode?,
        _ body: (_ key: String, _ new: AnyValue?, _ old: AnyValue?) -> Bool
    ) -> Bool {
        if a === b { return true }
        guard let a, let b, a.key.isSame(as: b.key) else { return walk(a, b, body) }
        return (a.left === b.left || forEachDifference(a.left, b.left, body))
            && (a.value === b.value || body(a.key, a.value, b.value))
            && (a.right === b.right || forEachDifference(a.right, b.right, body))
    }

    /// Calls `body` like ``forEachDifference(_:_:_:)``, for subtrees of any shape.
    private static func walk(
        _ a: SortedNode?,
        _ b: SortedNode?,
        _ body: (_ key: String, _ new: AnyValue?, _ old: AnyValue?) -> Bool
    ) -> Bool {
        var newWalk = TreeWalk(a)
        var oldWalk = TreeWalk(b)
        while true {
            switch (newWalk.next, oldWalk.next) {
            case (nil, nil): return true
            case (.tree(let a)?, .tree(let b)?) where a === b:
                newWalk.skip()
                oldWalk.skip()
            case (.tree(let a)?, .tree(let b)?) where a.count < b.count: oldWalk.descend()
            case (.tree?, _): newWalk.descend()
            case (_, .tree?): oldWalk.descend()
            case (.member(let a)?, .member(let b)?):
                switch a.key.byteOrder(comparedTo: b.key) {
                case ..<0:
                    guard body(a.key, a.value, nil) else { return false }
                    newWalk.skip()
                case 1...:
                    guard body(b.key, nil, b.value) else { return false }
                    oldWalk.skip()
                default:
                    guard
                        a.value === b.value || body(a.key, a.value, b.value)
                    else { return false }
                    newWalk.skip()
                    oldWalk.skip()
                }
            case (.member(let a)?, nil):
                guard body(a.key, a.value, nil) else { return false }
                newWalk.skip()
            case (nil, .member(let b)?):
                guard body(b.key, nil, b.value) else { return false }
                oldWalk.skip()
            }
        }
    }

    func forEachKey(withPrefix prefix: [UInt8], _ body: (String) -> Void) {
        let start = Array(key.utf8.prefix(prefix.count))
        let isBefore = start.lexicographicallyPrecedes(prefix)
        let isInside = start == prefix
        if !isBefore { left?.forEachKey(withPrefix: prefix, body) }
        if isInside { body(key) }
        if isBefore || isInside { right?.forEachKey(withPrefix: prefix, body) }
    }

    func sum(of weight: (String, AnyValue) throws -> Int) rethrows -> Int {
        let known = cachedSum.load(ordering: .acquiring)
        if known > 0 { return known }
        let before = try left?.sum(of: weight) ?? 0
        let own = try weight(key, value)
        let sum = try before + own + (right?.sum(of: weight) ?? 0)
        cachedSum.store(sum, ordering: .releasing)
        return sum
    }

    var depth: Int { 1 + Swift.max(left?.depth ?? 0, right?.depth ?? 0) }

    static func balancedTree(of members: ArraySlice<(key: String, value: AnyValue)>) -> SortedNode?
    {
        guard !members.isEmpty else { return nil }
        let middle = members.startIndex + members.count / 2
        return SortedNode(
            members[middle].key,
            members[middle].value,
            balancedTree(of: members[..<middle]),
            balancedTree(of: members[(middle + 1)...])
        )
    }

    static func inserting(_ key: String, _ value: AnyValue, into node: SortedNode?) -> SortedNode {
        guard let node else { return SortedNode(key, value, nil, nil) }
        let order = key.byteOrder(comparedTo: node.key)
        if order == 0 { return SortedNode(key, value, node.left, node.right) }
        return order < 0
            ? node.balanced(inserting(key, value, into: node.left), node.right)
            : node.balanced(node.left, inserting(key, value, into: node.right))
    }

    static func removing(_ key: String, from node: SortedNode) -> SortedNode? {
        let order = key.byteOrder(comparedTo: node.key)
        if order < 0 {
            return node.balanced(node.left.flatMap { removing(key, from: $0) }, node.right)
        }
        if order > 0 {
            return node.balanced(node.left, node.right.flatMap { removing(key, from: $0) })
        }
        guard let left = node.left else { return node.right }
        guard let right = node.right else { return left }
        // The neighbour from the larger side takes the place of the removed member.
        return left.count > right.count
            ? left.last.balanced(left.withoutLast, right)
            : right.first.balanced(left, right.withoutFirst)
    }

    var first: SortedNode { left?.first ?? self }
    var last: SortedNode { right?.last ?? self }

    private var withoutFirst: SortedNode? {
        guard let left else { return right }
        return balanced(left.withoutFirst, right)
    }

    private var withoutLast: SortedNode? {
        guard let right else { return left }
        return balanced(left, right.withoutLast)
    }

    /// Returns a balanced tree of this member and two sides. Since the last balancing, at most one
    /// member was added to a side, or removed from a side.
    private func balanced(_ left: SortedNode?, _ right: SortedNode?) -> SortedNode {
        let (before, after) = (left?.count ?? 0, right?.count ?? 0)
        guard before + after > 1 else { return SortedNode(key, value, left, right) }
        if let right, after > 3 * before { return rotatedLeft(left, right) }
        if let left, before > 3 * after { return rotatedRight(left, right) }
        return SortedNode(key, value, left, right)
    }

    private func rotatedLeft(_ left: SortedNode?, _ right: SortedNode) -> SortedNode {
        if let inner = right.left, inner.count >= 2 * (right.right?.count ?? 0) {
            return inner.withSides(
                SortedNode(key, value, left, inner.left),
                SortedNode(right.key, right.value, inner.right, right.right)
            )
        }
        return right.withSides(SortedNode(key, value, left, right.left), right.right)
    }

    private func rotatedRight(_ left: SortedNode, _ right: SortedNode?) -> SortedNode {
        if let inner = left.right, inner.count >= 2 * (left.left?.count ?? 0) {
            return inner.withSides(
                SortedNode(left.key, left.value, left.left, inner.left),
                SortedNode(key, value, inner.right, right)
            )
        }
        return left.withSides(left.left, SortedNode(key, value, left.right, right))
    }

    private func withSides(_ left: SortedNode?, _ right: SortedNode?) -> SortedNode {
        SortedNode(key, value, left, right)
    }
}
