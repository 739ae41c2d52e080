import Glibc
import HTTPTransport

/// A route with what is asked of it for every request.
final class Resource: Sendable {
    let route: any Route
    /// Whether it is served to the end while the server stops.
    let isServedDuringDrain: Bool
    /// The path, or where the route owns all below it, what that begins with: `/state/`.
    private let path: [UInt8]
    private let ownsAllBelow: Bool
    /// The bits of its methods.
    private let methods: UInt8

    init(_ route: any Route, at path: String, ownsAllBelow: Bool) {
        self.route = route
        self.path = Array(path.utf8)
        self.ownsAllBelow = ownsAllBelow
        isServedDuringDrain = route is any RouteDuringDrain
        methods = route.methods.reduce(0) { $0 | RequestMethod($1).bit }
    }

    /// Whether the route has the request's method.
    func allows(_ request: HTTPExchange) -> Bool {
        request.verb.bit & methods != 0
    }

    /// Whether the request is for this resource.
    func isAt(_ path: UnsafeRawBufferPointer) -> Bool {
        guard ownsAllBelow ? path.count >= self.path.count : path.count == self.path.count,
            let start = path.baseAddress
        else { return false }
        return self.path.withUnsafeBytes { own in
            own.baseAddress.map { memcmp(start, $0, own.count) == 0 } ?? true
        }
    }

    /// What the path of a request has beyond the route's own, with the slash between.
    func rest(of request: HTTPExchange) -> String {
        guard ownsAllBelow else { return "" }
        return request.withPath { path in
            String(decoding: path[(self.path.count - 1)...], as: UTF8.self)
        }
    }
}

/// Resources by exact path, which is compared as bytes.
struct ResourceTable: Sendable {
    /// At least twice as many as resources, by the hash of their path.
    private let slots: [[Resource]]

    init(_ routes: [String: any Route]) {
        var size = 16
        while size < 2 * routes.count { size *= 2 }
        var slots = [[Resource]](repeating: [], count: size)
        for (path, route) in routes {
            let hash = Array(path.utf8).withUnsafeBytes { Self.hash($0) }
            slots[hash & (size - 1)].append(Resource(route, at: path, ownsAllBelow: false))
        }
        self.slots = slots
    }

    subscript(path: UnsafeRawBufferPointer) -> Resource? {
        for resource in slots[Self.hash(path) & (slots.count - 1)] where resource.isAt(path) {
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
