package import StoreWire

/// One of the stores of a process, as the process shows it.
package struct StoreStatus: Sendable {
    /// What the store at `/` is called beside others.
    package static let defaultName = "default"

    package let name: String
    /// Where its resources begin.
    let path: String
    /// Why it takes no requests; `nil` while it does.
    let notReady: @Sendable () -> NotReady?

    package init(at links: Links, notReady: @escaping @Sendable () -> NotReady?) {
        name = links.store ?? Self.defaultName
        path = links.index
        self.notReady = notReady
    }
}

extension [StoreStatus] {
    /// Why some of them take no requests; `nil` while all do.
    package var problem: Problem? {
        let problems = compactMap { store in
            store.notReady().map { (store.name, $0.problem.detail) }
        }
        return problems.isEmpty ? nil : .storesNotReady(problems)
    }

    /// What is wrong with all of them; `nil` while one works.
    package var commonProblem: Problem? {
        let problems = compactMap { $0.notReady()?.problem }
        return problems.count == count ? problems.first : nil
    }
}
