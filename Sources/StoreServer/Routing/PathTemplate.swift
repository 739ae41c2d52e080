import Texts
import Wire

/// The paths of a route, as a template: `/state`, `/effects/{effect}`, or `/state/{pointer...}`, whose
/// last parameter takes all that follows, slashes included.
struct PathTemplate: Sendable {
    enum Segment: Sendable {
        case literal([UInt8])
        case parameter(String)
        /// All that follows.
        case rest(String)
    }

    /// As OpenAPI writes it, without the dots.
    let text: String
    let segments: [Segment]

    init(_ template: String) {
        text = template.split(separator: "...", omittingEmptySubsequences: false).joined()
        segments = template.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        ).map { part in
            guard part.first == UInt8(ascii: "{") else { return .literal(Array(part)) }
            let name = String(Substring(part.dropFirst().dropLast()))
            return name.hasSuffix("...") ? .rest(String(name.dropLast(3))) : .parameter(name)
        }
    }

    /// Whether it stands for one path alone.
    var isLiteral: Bool {
        segments.allSatisfy { if case .literal = $0 { true } else { false } }
    }

    /// How many of its segments are fixed: of two templates that match, the one with more goes first.
    var literalCount: Int {
        segments.count { if case .literal = $0 { true } else { false } }
    }

    /// What its parameters are in a path, still percent-encoded, in their order; `nil` where the path is
    /// not one of these. A rest has the slash before it.
    func match(_ path: UnsafeRawBufferPointer) -> [String]? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        var values: [String] = []
        var start = path.startIndex + 1
        for (index, segment) in segments.enumerated() {
            if case .rest = segment {
                values.append(String(decoding: path[(start - 1)...], as: UTF8.self))
                return values
            }
            let end = path[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
            switch segment {
            case .literal(let text): guard path[start..<end].elementsEqual(text) else { return nil }
            default:
                guard start < end else { return nil }
                values.append(String(decoding: path[start..<end], as: UTF8.self))
            }
            let isLast = index == segments.count - 1
            guard isLast == (end == path.endIndex) else { return nil }
            start = end + 1
        }
        return values
    }
}
