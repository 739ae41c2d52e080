/// The kind of a stream, and the label `kind` of metrics. There are seven kinds. Topics are no
/// labels, because clients choose the names of some.
package enum StreamKind: Int, Sendable, CaseIterable {
    case state, part, module, changes, instance, view, actions

    /// Returns the kind of streams with this subject.
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
