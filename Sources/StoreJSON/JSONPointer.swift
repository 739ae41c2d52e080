import StoreTexts

/// The path from the root of a JSON document to one of its values (RFC 6901): `/todos/items/0`.
///
/// Two pointers are equal if the bytes of their tokens are equal. Two names with different bytes
/// are different members, although Swift may treat the names as equal.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// The names of members and the indices of elements on the path, without escapes.
    package let tokens: [String]

    /// The pointer to the whole document.
    package static let root = JSONPointer(tokens: [])

    package init(tokens: [String]) { self.tokens = tokens }

    package static func == (a: JSONPointer, b: JSONPointer) -> Bool {
        a.tokens.elementsEqual(b.tokens) { $0.isSame(as: $1) }
    }

    package func hash(into hasher: inout Hasher) {
        for token in tokens { hasher.combine(ExactText(token)) }
        hasher.combine(tokens.count)
    }

    /// Reads the string form. The empty text is the root. Any other text must begin with `/`, and
    /// `0` or `1` must follow each `~`. Otherwise the result is `nil`.
    package init?(_ text: some StringProtocol) {
        guard text.isEmpty || text.utf8.first == 0x2F else { return nil }
        // The text is split as scalars. In a split by characters, a slash before a combining mark
        // would not count as a slash.
        let scalars = Substring(text).unicodeScalars
        var tokens: [String] = []
        for segment in scalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let token = JSONPointer.unescaped(Substring(segment)) else { return nil }
            tokens.append(token)
        }
        self.init(tokens: tokens)
    }

    /// Reads the percent-encoded text that follows `/state` in a request's path (protocol 3.2).
    ///
    /// Each segment is decoded separately. So `%2F` means a slash within a name, and so does `~1`.
    package init?(path: String) {
        var path = path
        let pointer = path.withUTF8 { JSONPointer(path: UnsafeRawBufferPointer($0)) }
        guard let pointer else { return nil }
        self = pointer
    }

    /// Reads the percent-encoded text that follows `/state` from its UTF-8 bytes.
    package init?(path: UnsafeRawBufferPointer) {
        let slash = UInt8(ascii: "/")
        guard path.isEmpty || path[0] == slash else { return nil }
        var tokens: [String] = []
        tokens.reserveCapacity(path.reduce(0) { $0 + ($1 == slash ? 1 : 0) })
        var start = 1
        while start <= path.count {
            var end = start
            var isPlain = true
            while end < path.count, path[end] != slash {
                if path[end] == UInt8(ascii: "%") || path[end] == UInt8(ascii: "~") {
                    isPlain = false
                }
                end += 1
            }
            let segment = String(
                decoding: UnsafeRawBufferPointer(rebasing: path[start..<end]),
                as: UTF8.self
            )
            if isPlain {
                tokens.append(segment)
            } else {
                guard let decoded = PercentEncoding.decode(segment),
                    let token = JSONPointer.unescaped(decoded)
                else { return nil }
                tokens.append(token)
            }
            start = end + 1
        }
        self.init(tokens: tokens)
    }

    /// The string form, with escapes.
    package var description: String {
        tokens.reduce(into: "") { text, token in
            text += "/"
            text += JSONPointer.escaped(token)
        }
    }

    /// Returns the pointer to a member or an element of this pointer's value.
    package func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

    /// Returns a token with the escapes of a pointer's string form: `~0` for `~`, and `~1` for `/`.
    package static func escaped(_ token: String) -> String {
        guard token.utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }) else { return token }
        var text = ""
        for scalar in token.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Returns the value that the pointer leads to in a document, or `nil` if there is no such
    /// value.
    package func find(in document: JSONDocument) -> JSONNode? { find(from: document.root) }

    /// Returns the value that the pointer leads to from `node`, or `nil` if there is no such value.
    ///
    /// Cost: for each token, a visit of the members or elements before the value on the path.
    package func find(from node: JSONNode) -> JSONNode? {
        var node = node
        for token in tokens {
            switch node.kind {
            case .object:
                guard let member = node.member(named: token) else { return nil }
                node = member
            case .array:
                guard let position = JSONPointer.arrayIndex(token),
                    let element = node.element(at: position)
                else { return nil }
                node = element
            default: return nil
            }
        }
        return node
    }

    /// Returns the index that a token stands for in an array; `nil` if the token is no index. An
    /// index consists of digits without a leading zero (RFC 6901 §4).
    ///
    /// The token `-`, which stands for the position after the last element, is not an index. Only a
    /// patch may add an element there (RFC 6902).
    package static func arrayIndex(_ token: String) -> Int? {
        UInt64(decimal: token).flatMap(Int.init(exactly:))
    }

    private static func unescaped(_ segment: some StringProtocol) -> String? {
        guard segment.utf8.contains(0x7E) else { return String(segment) }
        var token = ""
        var scalars = segment.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "~" else {
                token.unicodeScalars.append(scalar)
                continue
            }
            switch scalars.next() {
            case "0": token += "~"
            case "1": token += "/"
            default: return nil
            }
        }
        return token
    }
}

// Many pointers at once

extension JSONPointer {
    /// The minimum number of names for which a value's children are listed once. If there are fewer
    /// names, each name is searched separately among the children.
    private static let namesMinForOnePass = 5

    /// Returns the value that each pointer leads to from `node`. The result is `nil` for a pointer
    /// without a value.
    ///
    /// Cost: one pass over the children of each value on the paths. If the pointers have fewer than
    /// five different names below a value, each name costs a search instead.
    package static func find(_ pointers: [JSONPointer], from node: JSONNode) -> [JSONNode?] {
        var found = [JSONNode?](repeating: nil, count: pointers.count)
        find(pointers.indices.map { ($0, pointers[$0].tokens[...]) }, from: node, &found)
        return found
    }

    /// The index of a pointer in the list, and the remaining tokens of that pointer.
    private typealias RemainingPath = (pointer: Int, rest: ArraySlice<String>)

    private static func find(
        _ remainingPaths: [RemainingPath],
        from node: JSONNode,
        _ found: inout [JSONNode?]
    ) {
        var onwards: [ExactText: [RemainingPath]] = [:]
        for way in remainingPaths {
            if let token = way.rest.first {
                onwards[ExactText(token), default: []].append((way.pointer, way.rest.dropFirst()))
            } else {
                found[way.pointer] = node
            }
        }
        guard onwards.count >= namesMinForOnePass else {
            for (name, ways) in onwards {
                let step = JSONPointer(tokens: [name.text])
                if let child = step.find(from: node) { find(ways, from: child, &found) }
            }
            return
        }
        let elements = node.elements
        for (name, ways) in onwards {
            guard let index = arrayIndex(name.text), elements.indices.contains(index) else {
                continue
            }
            find(ways, from: elements[index], &found)
        }
        for (name, child) in node.members {
            if let ways = onwards[ExactText(name)] { find(ways, from: child, &found) }
        }
    }
}
