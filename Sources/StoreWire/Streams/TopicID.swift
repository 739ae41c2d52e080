package import StoreTexts

/// The identity of a topic: its subject, viewer and mode. All streams of a topic share the topic's
/// frames.
package struct TopicID: Hashable, Sendable {
    package let subject: StreamSubject
    /// The viewer that reads the subject. ``Viewer/unrestricted`` if the subject is the same for
    /// every reader.
    package let viewer: Viewer
    package let mode: StreamMode

    package init(
        _ subject: StreamSubject,
        _ mode: StreamMode = .snapshot,
        for viewer: Viewer = .unrestricted
    ) {
        self.subject = subject
        self.viewer = viewer
        self.mode = mode
    }

    package func inMode(_ mode: StreamMode) -> TopicID { TopicID(subject, mode, for: viewer) }
    package func forSession(_ session: ExactText?) -> TopicID {
        forViewer(Viewer(session: session))
    }
    package func forViewer(_ viewer: Viewer) -> TopicID { TopicID(subject, mode, for: viewer) }

    package static let state = TopicID(.state)
    package static let actions = TopicID(.actions)
}

extension TopicID: CustomStringConvertible {
    package var description: String {
        mode == .patch ? subject.description + "?mode=patch" : subject.description
    }
}

/// The subject of a stream.
///
/// Names are compared by their bytes, because they come from paths. A name that looks the same but
/// has other bytes leads to another resource.
package enum StreamSubject: Hashable, Sendable {
    /// The whole state.
    case state
    /// The part of the state that a JSON Pointer leads to.
    case part(_ pointer: ExactText)
    /// The slice of a module.
    case slice(_ module: ExactText)
    /// The changes of a module's slice, each with the slice before the change.
    case changes(_ module: ExactText)
    /// The slice of one instance of a module.
    case instance(_ module: ExactText, id: ExactText)
    /// A view, with the query that has its parameters.
    case view(_ name: ExactText, query: ExactText)
    /// Every applied action.
    case actions
}

extension StreamSubject: CustomStringConvertible {
    /// A name of the subject for operators.
    package var description: String {
        switch self {
        case .state: "state"
        case .part(let pointer): "state" + pointer.text
        case .slice(let module): "modules/" + module.text
        case .changes(let module): "modules/" + module.text + "?old"
        case .instance(let module, let id): "modules/" + module.text + "/" + id.text
        case .view(let name, let query): "views/" + name.text + query.text
        case .actions: "actions"
        }
    }
}

/// The kind of a stream: the value of the label `kind` in metrics. Metrics have no label with the
/// topic itself, because clients choose the names of some topics.
package enum StreamKind: Int, Sendable, CaseIterable {
    case state, part, module, changes, instance, view, actions

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

/// The content of a stream's events.
package enum StreamMode: String, Sendable, CaseIterable {
    /// Each event has the whole value of the subject.
    case snapshot
    /// Each event has the patch from the reader's last version to the newest version.
    case patch
}
