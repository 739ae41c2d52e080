public import StoreCore

/// The selection of the named observers and streams that get an event for an action's change. An
/// observer without a name gets the event only with ``all`` and ``allExcludingEmitter``.
///
/// The selection keeps no change secret. The state is the same for all clients, and all other
/// streams get this change with their next event.
public enum Recipients: Sendable, Equatable {
    /// All observers and streams.
    case all
    /// The observer that dispatched the action.
    case emitter
    /// All observers and streams except the observer that dispatched the action.
    case allExcludingEmitter
    /// The observers and streams with these names.
    case authorized(to: Set<ExactText>)
}

extension Audience {
    /// Makes the audience of an action that `emitter` dispatches; `nil` for all observers and
    /// streams.
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
    ///   - action: a public action of the module.
    ///   - recipients: the named observers that get the change.
    ///   - emitter: the name of the observer that dispatches.
    /// - Returns: `true` if the Core accepted the action.
    @discardableResult
    public func dispatch(
        _ action: M.Action,
        recipients: Recipients,
        as emitter: String? = nil
    ) -> Bool { dispatch(action, for: Audience(recipients, emitter: emitter)) }
}

extension PresenterContext {
    /// Dispatches an action whose change only the recipients get.
    public func dispatch(
        _ action: any Action,
        recipients: Recipients,
        file: String = #fileID,
        line: Int = #line
    ) { dispatch(action, for: Audience(recipients, emitter: name), file: file, line: line) }
}
