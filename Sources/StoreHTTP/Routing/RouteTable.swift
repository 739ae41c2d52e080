import StoreAdmission
import StoreHTTPTransport
import StoreTexts
import StoreWire

/// The resources of all routes, by their paths.
final class RouteTable: Sendable {
    /// Resources whose paths have no parameters, each in the slot of its path's hash, or in the
    /// next free slot. There are at least twice as many slots as resources.
    private let literalSlots: [Resource?]
    /// Resources whose paths have parameters, by the hash of the first segment behind the base. In
    /// each bucket, resources with more fixed segments come first.
    private let templateBuckets: [[Resource]]
    /// The number of bytes in the base, with which all paths begin.
    private let baseByteCount: Int
    /// True if operators have listeners of their own.
    private let hasOperatorListeners: Bool

    init(in environment: RequestEnvironment) {
        let declaredRoutes = environment.catalog.declaredRoutes
        let baseCount = environment.links.basePath.utf8.count
        self.baseByteCount = baseCount
        hasOperatorListeners = environment.hasOperatorListeners
        var paths: [String] = []
        var resources: [Resource] = []
        for route in declaredRoutes where !paths.contains(route.path.text) {
            paths.append(route.path.text)
            let routes = declaredRoutes.filter { $0.path.text == route.path.text }
            resources.append(Resource(route.path, routes, in: environment))
            // The path of the index has no slash at its end. But people also write `/stores/chat/`,
            // because the index of the store at `/` ends with a slash.
            if baseCount > 0, route.path.text == environment.links.index {
                resources.append(
                    Resource(PathTemplate(route.path.text + "/"), routes, in: environment)
                )
            }
        }
        let methods: [RequestMethod] = [.get, .head, .post, .put, .patch, .delete, .options]
        let served = declaredRoutes.map(\.method) + [.head, .options]
        let ofServer = methods.filter(served.contains)
        resources.append(Resource(PathTemplate("*"), [], serverMethods: ofServer, in: environment))
        var slotCount = 16
        while slotCount < 2 * resources.count { slotCount *= 2 }
        var slots = [Resource?](repeating: nil, count: slotCount)
        for resource in resources where resource.path.isLiteral {
            var slot =
                Array(resource.path.text.utf8).withUnsafeBytes { Self.hash($0) } & (slotCount - 1)
            while slots[slot] != nil { slot = (slot + 1) & (slotCount - 1) }
            slots[slot] = resource
        }
        literalSlots = slots
        var buckets = [[Resource]](repeating: [], count: slotCount)
        for resource in resources.sorted(by: {
            $0.path.literalSegmentCount > $1.path.literalSegmentCount
        })
        where !resource.path.isLiteral {
            let hash = Array(resource.path.text.utf8).withUnsafeBytes {
                Self.hash($0.segment(after: baseCount))
            }
            buckets[hash & (slotCount - 1)].append(resource)
        }
        templateBuckets = buckets
    }

    /// Returns the route of a request. Checks the access of `sender`, unless `sender` is `nil`.
    ///
    /// - Throws: 404 if the path is unknown, not served at the request's listener, or hidden from
    ///   the sender. Throws 403 if the sender may not use the route, or 401 if the sender has no
    ///   credential. Throws 405 if the resource does not have the method.
    func route(for request: HTTPExchange, by sender: Identity?) throws(Problem) -> ServedRoute {
        guard let resource = resource(for: request) else { throw .notFound(path: request.path) }
        if hasOperatorListeners, !resource.isServed(toOperators: request.isAdmin) {
            throw .notFound(path: request.path)
        }
        let served = resource.route(for: request.method)
        if let served { request.measure(by: served.times) }
        if let sender { try sender.checkAccess(request, served, of: resource) }
        guard let served else {
            throw .methodNotAllowed(request.methodName, allowed: resource.methods)
        }
        return served
    }

    /// True if a request is for a route that is served during a stop: a route about the server's
    /// health or metrics.
    func isServedDuringDrain(_ request: HTTPExchange) -> Bool {
        guard request.method != .options else { return false }
        return resource(for: request)?.route(for: request.method)?.route.isServedDuringDrain == true
    }

    private func resource(for request: HTTPExchange) -> Resource? {
        request.withPath { literalResource(at: $0) ?? templateResource(at: $0) }
            ?? request.withNormalizedPath { literalResource(at: $0) ?? templateResource(at: $0) }
    }

    private func templateResource(at path: UnsafeRawBufferPointer) -> Resource? {
        let bucket = templateBuckets[
            Self.hash(path.segment(after: baseByteCount)) & (templateBuckets.count - 1)
        ]
        for resource in bucket where resource.matches(path) { return resource }
        return nil
    }

    private func literalResource(at path: UnsafeRawBufferPointer) -> Resource? {
        var slot = Self.hash(path) & (literalSlots.count - 1)
        while let resource = literalSlots[slot] {
            if resource.path.matchesLiterally(path) { return resource }
            slot = (slot + 1) & (literalSlots.count - 1)
        }
        return nil
    }

    /// Hashes a path with FNV-1a, which is fast for short texts. A keyed hash is not needed,
    /// because the program itself chooses the paths of the table.
    private static func hash(_ path: UnsafeRawBufferPointer) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in path { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ (hash >> 32)) & .max
    }
}

extension HTTPExchange {
    /// Calls `body` with the path, in which unreserved characters are decoded: `/%73tate` is
    /// `/state` (RFC 3986 §6).
    func withNormalizedPath<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withPath { path in
            guard path.contains(UInt8(ascii: "%")) else { return body(path) }
            return PercentEncoding.normalized(path).withUnsafeBytes(body)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the segment behind the first `count` bytes of a path, with the slash before it.
    fileprivate func segment(after count: Int) -> UnsafeRawBufferPointer {
        let rest = dropFirst(count)
        let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "/")) ?? endIndex
        return UnsafeRawBufferPointer(rebasing: rest[..<end])
    }
}
