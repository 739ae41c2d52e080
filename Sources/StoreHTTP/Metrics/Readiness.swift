package import StoreWire

/// Whether requests are taken, and if not, why.
package struct Readiness: Sendable {
    /// Empty while requests are taken.
    let reasons: [NotReady]
    /// What a client gets that does not ask for the reasons.
    package let problem: Problem?

    /// Of one store.
    package init(_ reason: NotReady?) {
        reasons = reason.map { [$0] } ?? []
        problem = reason?.problem
    }

    /// Of a process with several.
    package init(_ stores: [StoreStatus]) {
        reasons = stores.compactMap { store in store.notReady()?.naming(store.name) }
        problem = stores.problem
    }
}
