/// Which of those with a name are told of what an action changed. Whoever has no name is told unless
/// only some are meant.
///
/// It is about being told, not about being allowed to know: the state is the same for all, and whoever
/// was left out sees it with the next change.
public enum Recipients: Sendable, Equatable {
    /// Everybody.
    case all
    /// The one who dispatched it.
    case emitter
    /// Everybody but the one who dispatched it.
    case allExcludingEmitter
    /// Those of these names.
    case authorized(to: Set<ExactText>)
}

/// Recipients, and the name of the one who dispatches.
package struct Audience: Sendable, Equatable {
    package let recipients: Recipients
    package let emitter: ExactText?

    /// `nil` where everybody is meant, which costs nothing.
    package init?(_ recipients: Recipients, emitter: String?) {
        if case .all = recipients { return nil }
        self.recipients = recipients
        self.emitter = emitter.map { ExactText($0) }
    }

    /// Whether one of this name is told.
    package func includes(_ name: String?) -> Bool {
        let name = name.map { ExactText($0) }
        return switch recipients {
        case .all: true
        case .emitter: name != nil && name == emitter
        case .allExcludingEmitter: emitter == nil || name != emitter
        case .authorized(let names): name.map(names.contains) ?? false
        }
    }
}
