package import StoreWire

/// The status of one of the stores of a process.
package struct StoreStatus: Sendable {
    /// The name of the store at `/` beside named stores.
    package static let defaultName = "default"

    package let name: String
    /// The path of its index.
    let path: String
    /// Returns the reason why it takes no requests; `nil` while it does.
    let notReady: @Sendable () -> NotReady?

    package init(at links: Links, notReady: @escaping @Sendable () -> NotReady?) {
        name = links.store ?? Self.defaultName
        path = links.index
        self.notReady = notReady
    }
}

extension [StoreStatus] {
    /// The problem if some of the stores take no requests; `nil` while all do.
    package var problem: Problem? {
        let problems = compactMap { store in
            store.notReady().map { (store.name, $0.problem.detail) }
        }
        return problems.isEmpty ? nil : .storesNotReady(problems)
    }

    /// The problem if none of the stores takes requests; `nil` while at least one does.
    package var commonProblem: Problem? {
        let problems = compactMap { $0.notReady()?.problem }
        return problems.count == count ? problems.first : nil
    }
}
