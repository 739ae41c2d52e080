package import Wire

/// One of the stores of a process, as the process shows it.
package struct StoreStatus: Sendable {
    /// What the store at `/` is called beside others.
    package static let defaultName = "default"

    package let name: String
    /// Where its resources begin.
    let path: String
    /// Why it takes no requests; `nil` while it does.
    let problem: @Sendable () -> Problem?

    package init(at links: Links, problem: @escaping @Sendable () -> Problem?) {
        name = links.store ?? Self.defaultName
        path = links.index
        self.problem = problem
    }
}

extension [StoreStatus] {
    /// Why some of them take no requests; `nil` while all do.
    package var problem: Problem? {
        let problems = compactMap { store in store.problem().map { (store.name, $0.detail) } }
        return problems.isEmpty ? nil : .storesNotReady(problems)
    }

    /// What is wrong with all of them; `nil` while one works.
    package var commonProblem: Problem? {
        let problems = compactMap { $0.problem() }
        return problems.count == count ? problems.first : nil
    }
}
