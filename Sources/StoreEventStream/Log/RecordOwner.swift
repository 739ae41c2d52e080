package import StoreTexts

/// Who may read a record of the log.
package struct RecordOwner: Equatable, Sendable {
    /// The session whose it is; `nil` where it is shared.
    package let session: ExactText?
    /// The module that it is about; `nil` where it is about the whole state, or about none.
    package let module: String?

    package init(session: ExactText? = nil, module: String? = nil) {
        self.session = session
        self.module = module
    }

    /// Whether a viewer may read it: with a sight only what is about a module that it sees.
    package func isVisible(to viewer: Viewer) -> Bool {
        if let session, let own = viewer.session, session != own { return false }
        guard let sight = viewer.sight else { return true }
        return module.map { sight.sees(module: $0) } ?? false
    }
}
