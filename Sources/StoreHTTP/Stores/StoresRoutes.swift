import StoreHTTPTransport
import StoreWire

/// `GET /stores`: the stores of a process that serves several.
package struct StoresRoutes: RouteGroup {
    private let stores: @Sendable () -> [StoreStatus]

    /// Makes the route.
    ///
    /// - Parameter stores: returns all stores, the store at `/` first.
    package init(_ stores: @escaping @Sendable () -> [StoreStatus]) {
        self.stores = stores
    }

    package var routes: [Route] {
        let store = JSONSchema.object([
            .init("name", .string()), .init("path", .string()), .init("ready", .boolean),
        ])
        return [
            .read(
                Links.stores,
                "Stores",
                "The stores of this process, and which of them take requests.",
                needs: .stores,
                answers: [.json(.object([.init("stores", .array(of: store))]), "The list.")],
                audience: .all,
                handle: show
            )
        ]
    }

    private func show(_ request: RequestContext) {
        request.respond { json in
            json.list("stores", of: stores()) { json, store in
                json.member("name", store.name)
                json.member("path", store.path)
                json.member("ready", store.notReady() == nil)
            }
        }
    }
}
