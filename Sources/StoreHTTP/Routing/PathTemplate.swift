import Glibc
import StoreHTTPTransport
import StoreTexts
import StoreWire

/// The paths of a route, as a template: `/state`, `/views/{view}`, or `/state/{pointer...}`. The
/// parameter with dots takes the whole rest of the path, with its slashes.
struct PathTemplate: Sendable {
    private enum Kind {
        case literal, parameter, rest
    }

    /// A segment's kind and its bounds in ``text``, so that a match copies nothing.
    private struct Segment {
        let kind: Kind
        let start: Int
        let end: Int
    }

    /// The template in the notation of OpenAPI, without the dots.
    let text: String
    /// The names of the template's parameters, in their order.
    let parameterNames: [String]
    /// The number of fixed segments. If two templates match, the router prefers the template with
    /// the larger number.
    let literalSegmentCount: Int
    private let bytes: [UInt8]
    private let segments: [Segment]
    private let hasRest: Bool

    init(_ template: String) {
        hasRest = template.hasSuffix("...}")
        text = hasRest ? template.dropLast(4) + "}" : template
        bytes = Array(text.utf8)
        var segments: [Segment] = []
        var parameters: [String] = []
        var start = 1
        while start <= bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
            let isParameter = start < end && bytes[start] == UInt8(ascii: "{")
            if isParameter {
                parameters.append(String(decoding: bytes[(start + 1)..<(end - 1)], as: UTF8.self))
            }
            let isRest = isParameter && hasRest && end == bytes.count
            let kind: Kind = isRest ? .rest : isParameter ? .parameter : .literal
            segments.append(Segment(kind: kind, start: start, end: end))
            start = end + 1
        }
        self.segments = segments
        self.parameterNames = parameters
        literalSegmentCount = segments.count { $0.kind == .literal }
    }

    /// True if the template has no parameters. The template then matches only a single path.
    var isLiteral: Bool { parameterNames.isEmpty }

    /// True if a path is the single path of this template.
    func matchesLiterally(_ path: UnsafeRawBufferPointer) -> Bool {
        guard path.count == bytes.count, let start = path.baseAddress else { return false }
        return memcmp(start, bytes, bytes.count) == 0
    }

    func isRestParameter(_ index: Int) -> Bool { hasRest && index == parameterNames.count - 1 }

    /// Matches a path, and calls `visit` with the value of each parameter, in their order. The
    /// values are still percent-encoded; a rest includes the slash at its beginning. Returns true
    /// if the path fits the template and `visit` returns true for each value.
    func match(_ path: UnsafeRawBufferPointer, _ visit: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        guard path.first == UInt8(ascii: "/") else { return false }
        var start = 1
        for segment in segments {
            // If a path ends with a slash, an empty segment follows the slash.
            guard start <= path.count else { return false }
            if segment.kind == .rest {
                return visit(UnsafeRawBufferPointer(rebasing: path[(start - 1)...]))
            }
            let end = path.end(ofSegmentAt: start)
            let isSame =
                segment.kind == .literal
                ? matchesSegment(segment, path, start, end)
                : start < end && visit(UnsafeRawBufferPointer(rebasing: path[start..<end]))
            guard isSame else { return false }
            start = end + 1
        }
        return start == path.count + 1
    }

    private func matchesSegment(
        _ segment: Segment,
        _ path: UnsafeRawBufferPointer,
        _ start: Int,
        _ end: Int
    ) -> Bool {
        let count = segment.end - segment.start
        guard end - start == count else { return false }
        return bytes.withUnsafeBytes { own in
            guard let mine = own.baseAddress, let other = path.baseAddress else { return false }
            return memcmp(mine + segment.start, other + start, count) == 0
        }
    }

    /// Returns the value of a path parameter by its index. The value is decoded, except for a rest,
    /// whose encoded slashes would become separators.
    ///
    /// - Throws: 400 if the value is badly encoded.
    func parameterValue(_ wanted: Int, of request: HTTPExchange) throws(Problem) -> String {
        var index = 0
        var found: String?
        _ = request.withNormalizedPath { path in
            match(path) { value in
                if index == wanted { found = String(decoding: value, as: UTF8.self) }
                index += 1
                return found == nil
            }
        }
        guard let found else { throw .notFound(path: request.path) }
        guard !isRestParameter(wanted), found.utf8.contains(UInt8(ascii: "%")) else { return found }
        guard let value = PercentEncoding.decode(found) else {
            throw .badRequest("'\(Problem.excerpt(found))' is badly percent-encoded.")
        }
        return value
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the end of the segment that begins at `start`.
    fileprivate func end(ofSegmentAt start: Int) -> Int {
        guard let base = baseAddress, start < count,
            let slash = memchr(base + start, Int32(UInt8(ascii: "/")), count - start)
        else { return count }
        return UnsafeRawPointer(slash) - base
    }
}
