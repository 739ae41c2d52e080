import StoreJSON
import StoreJSONSchema
package import StoreWire

/// `GET /stores`: the stores of a process that serves several stores.
package struct StoresRoutes: RouteGroup {
    private let stores: @Sendable () -> [StoreStatus]

    /// Makes the route. `stores` returns all stores, the store at `/` first.
    package init(_ stores: @escaping @Sendable () -> [StoreStatus]) { self.stores = stores }

    package var routes: [Route] {
        let store = JSONSchema.object([
            .init("name", .string()), .init("path", .string()), .init("ready", .boolean),
        ])
        return [
            .reading(
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
            json.objectArray("stores", of: stores()) { json, store in
                json.member("name", store.name)
                json.member("path", store.path)
                json.member("ready", store.notReadyReason() == nil)
            }
        }
    }
}

/// The status of one of the stores of a process.
package struct StoreStatus: Sendable {
    /// The name by which lists and logs call the store at `/`, which has no name of its own.
    package static let defaultName = "default"

    package let name: String
    let path: String
    /// Returns the reason why the store takes no requests; `nil` while the store takes requests.
    let notReadyReason: @Sendable () -> NotReadyReason?

    package init(at links: Links, notReadyReason: @escaping @Sendable () -> NotReadyReason?) {
        name = links.storeName ?? Self.defaultName
        path = links.index
        self.notReadyReason = notReadyReason
    }
}

extension [StoreStatus] {
    /// The problem that names the stores that take no requests; `nil` while all stores take
    /// requests.
    package var someNotReadyProblem: Problem? {
        let problems = compactMap { store in
            store.notReadyReason().map { (store.name, $0.problem.detail) }
        }
        return problems.isEmpty ? nil : .storesNotReady(problems)
    }

    /// The problem of the first store, if no store takes requests; `nil` while at least one store
    /// takes requests.
    package var allNotReadyProblem: Problem? {
        let problems = compactMap { $0.notReadyReason()?.problem }
        return problems.count == count ? problems.first : nil
    }
}
