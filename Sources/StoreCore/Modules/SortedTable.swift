/// Objects under names, in the order of the names' bytes: a value of which older versions stay as
/// they are, and cost nothing to keep.
///
/// A dictionary that is held elsewhere is copied whole by the next change, and some part always
/// holds the state: a batch that may be taken back, a reaction, an observer. Here a change makes
/// the few nodes on the way to one name anew, and shares all others with the versions before: a
/// balanced tree whose nodes never change. So any thread may read any version.
///
/// Cost: a look-up or a change takes log2(count) steps; an answer in order takes one for each
/// object.
package struct SortedTable<Value: AnyObject & Sendable>: Sendable {
    private var root: SortedNode?

    /// An object as the type that all of the table have.
    @inline(__always)
    private static func value(_ value: AnyValue) -> Value {
        // Safety: only objects of this type come in.
        unsafeDowncast(value, to: Value.self)
    }

    /// Begins without any.
    package init() {}

    /// Takes over what is sorted already, each name once.
    package init(sorted members: [(key: String, value: Value)]) {
        root = .made(of: members.map { ($0.key, $0.value) }[...])
    }

    /// How many there are.
    package var count: Int { root?.count ?? 0 }

    /// The object of a name; setting `nil` takes it out.
    package subscript(key: String) -> Value? {
        get { root?.find(key).map(Self.value) }
        set {
            let isThere = root?.find(key) != nil
            if let newValue {
                root =
                    isThere
                    ? root?.replacing(key, newValue) : SortedNode.with(key, newValue, in: root)
            } else if isThere {
                root = root.flatMap { SortedNode.without(key, in: $0) }
            }
        }
    }

    /// The names under which another version has something else, sorted, each with what stands
    /// there now.
    ///
    /// What both versions share is not looked at: a few changes cost log2(count) steps each.
    package func differences(from old: SortedTable) -> [(key: String, value: Value?)] {
        var found: [(key: String, value: Value?)] = []
        forEachDifference(from: old) { key, new, _ in
            found.append((key, new))
            return true
        }
        return found
    }

    /// Calls `body` with each name under which both versions have different objects, in order,
    /// until it returns `false`.
    package func forEachDifference(
        from old: SortedTable,
        _ body: (_ key: String, _ new: Value?, _ old: Value?) -> Bool
    ) {
        var mine = SortedSteps(root)
        var theirs = SortedSteps(old.root)
        while true {
            switch (mine.next, theirs.next) {
            case (nil, nil): return
            case (.tree(let a)?, .tree(let b)?) where a === b:
                mine.skip()
                theirs.skip()
            case (.tree(let a)?, .tree(let b)?) where a.count < b.count: theirs.descend()
            case (.tree?, _): mine.descend()
            case (_, .tree?): theirs.descend()
            case (.member(let a)?, .member(let b)?):
                switch a.key.order(beside: b.key) {
                case ..<0:
                    guard body(a.key, Self.value(a.value), nil) else { return }
                    mine.skip()
                case 1...:
                    guard body(b.key, nil, Self.value(b.value)) else { return }
                    theirs.skip()
                default:
                    guard
                        a.value === b.value
                            || body(a.key, Self.value(a.value), Self.value(b.value))
                    else { return }
                    mine.skip()
                    theirs.skip()
                }
            case (.member(let a)?, nil):
                guard body(a.key, Self.value(a.value), nil) else { return }
                mine.skip()
            case (nil, .member(let b)?):
                guard body(b.key, nil, Self.value(b.value)) else { return }
                theirs.skip()
            }
        }
    }

    /// How many steps the longest way to a name has.
    package var depth: Int { root?.depth ?? 0 }

    /// Whether it is the same version as another one; two that are not may still be equal.
    package func isIdentical(to other: SortedTable) -> Bool { root === other.root }
}

extension SortedTable: Sequence {
    package struct Iterator: IteratorProtocol {
        /// The nodes that come next, each before what is right of it.
        private var waiting: [SortedNode] = []

        fileprivate init(_ root: SortedNode?) { descend(from: root) }

        private mutating func descend(from root: SortedNode?) {
            var node = root
            while let next = node {
                waiting.append(next)
                node = next.left
            }
        }

        package mutating func next() -> (key: String, value: Value)? {
            guard let node = waiting.popLast() else { return nil }
            descend(from: node.right)
            return (node.key, SortedTable.value(node.value))
        }
    }

    package func makeIterator() -> Iterator { Iterator(root) }

    package var underestimatedCount: Int { count }
}

/// An object of a table, whatever its type is: so the nodes are of one type, and no generic one is
/// looked up at run time for a step.
private typealias AnyValue = any AnyObject & Sendable

/// What comes next on a way through a table in order: whole subtrees, until one has to be looked
/// into.
private struct SortedSteps {
    enum Step {
        case tree(SortedNode)
        /// The member of a node alone.
        case member(SortedNode)
    }

    /// From the last to the next.
    private var waiting: [Step]

    init(_ root: SortedNode?) { waiting = root.map { [.tree($0)] } ?? [] }

    var next: Step? { waiting.last }

    mutating func skip() { waiting.removeLast() }

    /// Takes the next subtree apart.
    mutating func descend() {
        guard case .tree(let node)? = waiting.popLast() else { return }
        if let right = node.right { waiting.append(.tree(right)) }
        waiting.append(.member(node))
        if let left = node.left { waiting.append(.tree(left)) }
    }
}

/// A name with what comes before and after it. Neither side has more than three times as much as
/// the other, or the way to some names would grow long (Adams, *Efficient sets*, 1993).
private final class SortedNode: Sendable {
    let key: String
    let value: AnyValue
    let left: SortedNode?
    let right: SortedNode?
    let count: Int

    init(_ key: String, _ value: AnyValue, _ left: SortedNode?, _ right: SortedNode?) {
        self.key = key
        self.value = value
        self.left = left
        self.right = right
        count = 1 + (left?.count ?? 0) + (right?.count ?? 0)
    }

    func find(_ key: String) -> (AnyValue)? {
        let order = key.order(beside: self.key)
        if order == 0 { return value }
        return order < 0 ? left?.find(key) : right?.find(key)
    }

    /// The same with another object under a name that is there: nothing has to be balanced.
    func replacing(_ key: String, _ value: AnyValue) -> SortedNode {
        let order = key.order(beside: self.key)
        if order == 0 { return SortedNode(self.key, value, left, right) }
        return order < 0
            ? between(left?.replacing(key, value), right)
            : between(left, right?.replacing(key, value))
    }

    var depth: Int { 1 + Swift.max(left?.depth ?? 0, right?.depth ?? 0) }

    static func made(of members: ArraySlice<(key: String, value: AnyValue)>) -> SortedNode? {
        guard !members.isEmpty else { return nil }
        let middle = members.startIndex + members.count / 2
        return SortedNode(
            members[middle].key,
            members[middle].value,
            made(of: members[..<middle]),
            made(of: members[(middle + 1)...])
        )
    }

    static func with(_ key: String, _ value: AnyValue, in node: SortedNode?) -> SortedNode {
        guard let node else { return SortedNode(key, value, nil, nil) }
        let order = key.order(beside: node.key)
        if order == 0 { return SortedNode(key, value, node.left, node.right) }
        return order < 0
            ? node.beside(with(key, value, in: node.left), node.right)
            : node.beside(node.left, with(key, value, in: node.right))
    }

    static func without(_ key: String, in node: SortedNode) -> SortedNode? {
        let order = key.order(beside: node.key)
        if order < 0 {
            return node.beside(node.left.flatMap { without(key, in: $0) }, node.right)
        }
        if order > 0 {
            return node.beside(node.left, node.right.flatMap { without(key, in: $0) })
        }
        guard let left = node.left else { return node.right }
        guard let right = node.right else { return left }
        // The neighbour from the side that has more takes its place.
        return left.count > right.count
            ? left.last.beside(left.withoutLast, right)
            : right.first.beside(left, right.withoutFirst)
    }

    private var first: SortedNode { left?.first ?? self }
    private var last: SortedNode { right?.last ?? self }

    private var withoutFirst: SortedNode? {
        guard let left else { return right }
        return beside(left.withoutFirst, right)
    }

    private var withoutLast: SortedNode? {
        guard let right else { return left }
        return beside(left, right.withoutLast)
    }

    /// The same member between two sides of which one may have grown or shrunk by one.
    private func beside(_ left: SortedNode?, _ right: SortedNode?) -> SortedNode {
        let (before, after) = (left?.count ?? 0, right?.count ?? 0)
        guard before + after > 1 else { return SortedNode(key, value, left, right) }
        if let right, after > 3 * before { return turnedLeft(left, right) }
        if let left, before > 3 * after { return turnedRight(left, right) }
        return SortedNode(key, value, left, right)
    }

    private func turnedLeft(_ left: SortedNode?, _ right: SortedNode) -> SortedNode {
        if let inner = right.left, inner.count >= 2 * (right.right?.count ?? 0) {
            return inner.between(
                SortedNode(key, value, left, inner.left),
                SortedNode(right.key, right.value, inner.right, right.right)
            )
        }
        return right.between(SortedNode(key, value, left, right.left), right.right)
    }

    private func turnedRight(_ left: SortedNode, _ right: SortedNode?) -> SortedNode {
        if let inner = left.right, inner.count >= 2 * (left.left?.count ?? 0) {
            return inner.between(
                SortedNode(left.key, left.value, left.left, inner.left),
                SortedNode(key, value, inner.right, right)
            )
        }
        return left.between(left.left, SortedNode(key, value, left.right, right))
    }

    private func between(_ left: SortedNode?, _ right: SortedNode?) -> SortedNode {
        SortedNode(key, value, left, right)
    }
}
