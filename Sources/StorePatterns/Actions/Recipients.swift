public import StoreCore

/// Selects the named observers and streams that get an event for what an action changes. Those
/// without a name get it unless only some are selected.
///
/// It selects the streams that get an event, and restricts nothing: the state is the same for all,
/// and the other streams get it with the next change.
public enum Recipients: Sendable, Equatable {
    /// All.
    case all
    /// The one that dispatched it.
    case emitter
    /// All but the one that dispatched it.
    case allExcludingEmitter
    /// Those of these names.
    case authorized(to: Set<ExactText>)
}

extension Audience {
    /// The audience of an action that `emitter` dispatches; `nil` for all, which costs nothing.
    package init?(_ recipients: Recipients, emitter: String?) {
        let emitters = Set([emitter.map { ExactText($0) }].compactMap(\.self))
        switch recipients {
        case .all: return nil
        case .emitter: self = .only(emitters)
        case .allExcludingEmitter: self = .allExcept(emitters)
        case .authorized(let names): self = .only(names)
        }
    }
}

extension ChildStore {
    /// Dispatches one of the module's public actions.
    ///
    /// - Parameters:
    ///   - action: what the module takes from everywhere.
    ///   - recipients: which named observers are shown what it changes.
    ///   - emitter: the name of the one that dispatches.
    /// - Returns: whether the mailbox took it.
    @discardableResult
    public func dispatch(
        _ action: M.Action,
        recipients: Recipients,
        as emitter: String? = nil
    ) -> Bool {
        dispatch(action, for: Audience(recipients, emitter: emitter))
    }
}

extension PresenterContext {
    /// Dispatches an action, of whose change only some are notified.
    public func dispatch(
        _ action: any Action,
        recipients: Recipients,
        file: String = #fileID,
        line: Int = #line
    ) {
        dispatch(action, for: Audience(recipients, emitter: name), file: file, line: line)
    }
}
