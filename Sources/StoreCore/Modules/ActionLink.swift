/// An action bound to its arguments, as a member of a view model: what a button of a screen does.
///
/// ```swift
/// struct TodoCellViewModel: ViewModel {
///     let text: String
///     let complete: ActionLink
///
///     init(_ item: Todos.Item, at index: Int) {
///         text = item.text
///         complete = ActionLink(Todos.Action.completed(index: index))
///     }
/// }
/// ```
///
/// On the wire it is `{"href":"/dispatch?action=…","method":"POST"}`; a POST there without a body
/// dispatches the action as the client's own. An action of a module's view has a link to that
/// module's `ui`. Those of an instance are addressed: `ActionLink(Card.Action.liked.to("7"))`.
///
/// Only a server's views can be written with it, because the server has the names of the actions.
/// An action that is registered nowhere, or that no client may dispatch, keeps its view from being
/// made: the log says which, and the view is answered 500.
public struct ActionLink: Encodable, Equatable, Sendable {
    package let action: any Action
    private let isSame: @Sendable (any Action) -> Bool

    /// Binds an action, with the arguments that it has.
    public init<A: Action & Equatable>(_ action: A) {
        self.action = action
        isSame = { ($0 as? A) == action }
    }

    private enum Member: String, CodingKey {
        case href, method
    }

    /// Writes where the action is dispatched.
    ///
    /// - Throws: where the encoder is not that of a server's views, or the action has no link.
    public func encode(to encoder: any Encoder) throws {
        guard let hrefs = encoder.userInfo[Self.hrefs] as? any ActionHrefs else {
            throw ActionLinkError(
                "a link to \(type(of: action)) is written outside of a server's view, where actions "
                    + "have no address"
            )
        }
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(try hrefs.href(of: action), forKey: .href)
        try members.encode("POST", forKey: .method)
    }

    /// Whether both dispatch the same action, with the same arguments.
    public static func == (a: ActionLink, b: ActionLink) -> Bool { a.isSame(b.action) }

    /// Under which an encoder of views has its ``ActionHrefs``; `nil` is no valid key.
    package static let hrefs = CodingUserInfoKey(named: "StoreCore.ActionLink.hrefs")
}

/// Finds the address at which an action is dispatched.
package protocol ActionHrefs: Sendable {
    /// The path and the query.
    ///
    /// - Throws: ``ActionLinkError`` for an action that clients can't dispatch by a link.
    func href(of action: any Action) throws -> String
}

/// An action has no link.
package struct ActionLinkError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

extension CodingUserInfoKey {
    /// A key of a name. `init(rawValue:)` gives one for every name.
    fileprivate init(named name: String) {
        guard let key = CodingUserInfoKey(rawValue: name) else {
            preconditionFailure("'\(name)' is no key of an encoder's userInfo")
        }
        self = key
    }
}
