package import StoreCore
package import StoreEventStream

extension Refusal {
    /// Whether a client may read why the store refused something: the reason may name what the
    /// state has, of the module that refused it, or of all of it.
    ///
    /// - Parameters:
    ///   - viewer: as whom the client sees the state.
    ///   - isSeen: whether that has the modules of what was refused.
    /// - Returns: whether the reason, and the pointer, may be shown.
    package func isReadable(for viewer: Viewer, where isSeen: Bool) -> Bool {
        isOfWholeState ? viewer.sight == nil : isSeen
    }

    /// What the client reads of it.
    package func reason(for viewer: Viewer, where isSeen: Bool) -> String {
        isReadable(for: viewer, where: isSeen) ? reason : "The store refuses this."
    }
}
