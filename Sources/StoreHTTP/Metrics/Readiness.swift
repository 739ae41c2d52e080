package import StoreWire

/// The reasons why requests are not taken, or none.
package struct Readiness: Sendable {
    /// The reasons; empty while requests are taken.
    let reasons: [NotReady]
    /// The problem for a client that does not ask for the reasons.
    package let problem: Problem?

    /// Makes the readiness of a single store.
    package init(_ reason: NotReady?) {
        reasons = reason.map { [$0] } ?? []
        problem = reason?.problem
    }

    /// Makes the readiness of a process with several stores.
    package init(_ stores: [StoreStatus]) {
        reasons = stores.compactMap { store in store.notReady()?.naming(store.name) }
        problem = stores.problem
    }
}
