/// The kind of a stream, as the label `kind` of metrics has it. There are seven; topics have names
/// that clients choose, so they are no labels.
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
