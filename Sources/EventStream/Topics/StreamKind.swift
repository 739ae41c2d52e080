/// What streams are told apart by in metrics: a bounded number of kinds, where topics have names
/// that clients choose.
package enum StreamKind: Int, Sendable, CaseIterable {
    case state, part, module, changes, instance, view, actions

    /// The kind of a stream about this.
    package init(_ subject: StreamSubject) {
        switch subject {
        case .state: self = .state
        case .part: self = .part
        case .slice: self = .module
        case .changes: self = .changes
        case .instance: self = .instance
        case .view: self = .view
        case .actions: self = .actions
        }
    }
}
