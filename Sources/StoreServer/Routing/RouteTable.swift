import HTTPTransport
import Locks
import Synchronization
import Wire

/// All routes that are served, and the resources that they are routes of.
final class RouteTable: Sendable {
    /// The routes in the order of their groups, with the `HEAD` of each that is read.
    let routes: [Route]
    private let description = Locked<Bytes?>(nil)
    /// Resources of one path: at least twice as many places as resources, by the hash of the path.
    private let literals: [[Resource]]
    /// Resources whose paths have parameters; those with more fixed segments first.
    private let templates: [Resource]

    init(_ groups: [any RouteGroup]) {
        let given = groups.flatMap(\.routes)
        routes = given.flatMap { $0.hasHead ? [$0, $0.head] : [$0] }
        var paths: [String] = []
        var resources: [Resource] = []
        for route in given where !paths.contains(route.path.text) {
            paths.append(route.path.text)
            resources.append(
                Resource(route.path, given.filter { $0.path.text == route.path.text })
            )
        }
        var size = 16
        while size < 2 * resources.count { size *= 2 }
        var slots = [[Resource]](repeating: [], count: size)
        for resource in resources where resource.path.isLiteral {
            let hash = Array(resource.path.text.utf8).withUnsafeBytes { Self.hash($0) }
            slots[hash & (size - 1)].append(resource)
        }
        literals = slots
        templates = resources.filter { !$0.path.isLiteral }
            .sorted { $0.path.literalCount > $1.path.literalCount }
    }

    /// The resource that a request is for.
    func resource(for request: HTTPExchange) -> Resource? {
        request.withPath { path in literal(path) }
            ?? request.withNormalizedPath { path in
                literal(path) ?? templates.first { $0.has(path) }
            }
    }

    /// The description of the API: made by the first caller.
    func described(by make: () -> Bytes) -> Bytes {
        description.withLock { description in
            if let description { return description }
            let made = make()
            description = made
            return made
        }
    }

    private func literal(_ path: UnsafeRawBufferPointer) -> Resource? {
        for resource in literals[Self.hash(path) & (literals.count - 1)] where resource.isAt(path) {
            return resource
        }
        return nil
    }

    /// FNV-1a: paths are short, and those of the table are the program's own.
    private static func hash(_ path: UnsafeRawBufferPointer) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in path { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ (hash >> 32)) & .max
    }
}

extension HTTPExchange {
    /// Lends the path with its unreserved characters as they are and not percent-encoded: `/%73tate` is
    /// `/state` (RFC 3986 §6.2.2.2).
    func withNormalizedPath<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withPath { path in
            guard path.contains(UInt8(ascii: "%")) else { return body(path) }
            return PercentEncoding.normalized(path).withUnsafeBytes(body)
        }
    }
}
