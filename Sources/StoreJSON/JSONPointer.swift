import StoreTexts

/// The path from the root of a JSON document to one of its values (RFC 6901): `/todos/items/0`.
///
/// Two pointers are equal if the bytes of their tokens are equal. Canonically equivalent names with
/// different bytes are different members.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// The names of members and indices of elements, without escapes.
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
    /// `0` or `1` must follow each `~`; otherwise the result is `nil`.
    package init?(_ text: some StringProtocol) {
        guard text.isEmpty || text.utf8.first == 0x2F else { return nil }
        // Scalars are split, not characters: a combining mark behind a slash belongs to the name.
        let scalars = Substring(text).unicodeScalars
        var tokens: [String] = []
        for segment in scalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let token = JSONPointer.unescaped(Substring(segment)) else { return nil }
            tokens.append(token)
        }
        self.init(tokens: tokens)
    }

    /// Reads the part of a request's path behind `/state` (protocol 3.2), which is still
    /// percent-encoded.
    ///
    /// Each segment is decoded separately, so `%2F` within a segment is a slash in a name, just
    /// like `~1`.
    package init?(path: String) {
        var path = path
        let pointer = path.withUTF8 { JSONPointer(path: UnsafeRawBufferPointer($0)) }
        guard let pointer else { return nil }
        self = pointer
    }

    /// Reads the same part of a path from its bytes.
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

    /// Returns a name with the escapes that it needs between two slashes: `~0` for `~`, `~1` for
    /// `/`.
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

    /// Returns the value that the pointer leads to in a document, or `nil` if it leads nowhere.
    package func find(in document: JSONDocument) -> JSONNode? { find(from: document.root) }

    /// Returns the value that the pointer leads to from `node`, or `nil` if it leads nowhere.
    ///
    /// Cost: a visit of the members and elements that precede each step.
    package func find(from node: JSONNode) -> JSONNode? {
        var node = node
        for token in tokens {
            switch node.kind {
            case .object:
                guard let member = node.member(named: token) else { return nil }
                node = member
            case .array:
                guard let position = JSONPointer.index(token),
                    let element = node.element(at: position)
                else { return nil }
                node = element
            default: return nil
            }
        }
        return node
    }

    /// Returns the index that a token means in an array: digits without a leading zero (RFC 6901
    /// §4).
    ///
    /// The token `-`, the place behind the last element, is not an index; RFC 6902 gives it a
    /// meaning of its own.
    package static func index(_ token: String) -> Int? {
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
    /// The minimum number of names for which a value's children are listed once. For fewer names,
    /// the children are searched for each name.
    private static let listedMin = 5

    /// Returns the value that each pointer leads to from `node`, or `nil` if it leads nowhere.
    ///
    /// Cost: one pass over the children of each value on the way. If fewer than five names are
    /// looked for in a value, the cost is a search for each name.
    package static func find(_ pointers: [JSONPointer], from node: JSONNode) -> [JSONNode?] {
        var found = [JSONNode?](repeating: nil, count: pointers.count)
        find(pointers.indices.map { ($0, pointers[$0].tokens[...]) }, from: node, &found)
        return found
    }

    /// The index of a pointer, and the tokens of that pointer that are not followed yet.
    private typealias Way = (pointer: Int, rest: ArraySlice<String>)

    private static func find(_ ways: [Way], from node: JSONNode, _ found: inout [JSONNode?]) {
        var onwards: [ExactText: [Way]] = [:]
        for way in ways {
            if let token = way.rest.first {
                onwards[ExactText(token), default: []].append((way.pointer, way.rest.dropFirst()))
            } else {
                found[way.pointer] = node
            }
        }
        guard onwards.count >= listedMin else {
            for (name, ways) in onwards {
                let step = JSONPointer(tokens: [name.text])
                if let child = step.find(from: node) { find(ways, from: child, &found) }
            }
            return
        }
        let elements = node.elements
        for (name, ways) in onwards {
            guard let index = index(name.text), elements.indices.contains(index) else { continue }
            find(ways, from: elements[index], &found)
        }
        for (name, child) in node.members {
            if let ways = onwards[ExactText(name)] { find(ways, from: child, &found) }
        }
    }
}
