package import StoreTexts

/// The session and the module of a record, which decide who may read it.
package struct RecordOwner: Equatable, Sendable {
    /// The session that the record belongs to; `nil` if it belongs to no session.
    package let session: ExactText?
    /// The module of the record; `nil` if the record is about the whole state, or about no module.
    package let module: String?

    package init(session: ExactText? = nil, module: String? = nil) {
        self.session = session
        self.module = module
    }

    /// True if a viewer may read the record. A viewer of one session may not read the records of
    /// other sessions. A viewer with a sight may read only records of modules in its sight.
    package func isVisible(to viewer: Viewer) -> Bool {
        if let session, let own = viewer.session, session != own { return false }
        guard let sight = viewer.sight else { return true }
        return module.map { sight.sees(module: $0) } ?? false
    }
}
