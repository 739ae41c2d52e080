/// An action bound to its arguments, as a member of a view model: the action of a button on a
/// screen.
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
/// On the wire a link is `{"href":"/dispatch?action=…","method":"POST"}`. A POST without a body to
/// this address dispatches the action as an action of the client. The link of a module's UI action
/// leads to the path `ui` of that module. An action of an instance needs the id of the instance:
/// `ActionLink(Card.Action.liked.to("7"))`.
///
/// Only the views of a server can encode links, because the server has the names of the actions.
/// The action of a link has to be registered, and clients have to be allowed to dispatch it.
/// Otherwise the server cannot make the view: the log names the action, and a request for the view
/// gets the status 500.
public struct ActionLink: Encodable, Equatable, Sendable {
    package let action: any Action
    private let isSame: @Sendable (any Action) -> Bool

    /// Makes a link that dispatches this action, with the arguments of the action.
    public init<A: Action & Equatable>(_ action: A) {
        self.action = action
        isSame = { ($0 as? A) == action }
    }

    private enum Member: String, CodingKey { case href, method }

    /// Encodes the address at which the action is dispatched.
    ///
    /// - Throws: an error if the encoder does not belong to a server's views, or if the action has
    ///   no link.
    public func encode(to encoder: any Encoder) throws {
        guard let hrefs = encoder.userInfo[Self.hrefsKey] as? any ActionHrefs else {
            throw ActionLinkError(
                "a link to \(type(of: action)) is written outside of a server's view; actions "
                    + "have no address there"
            )
        }
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(try hrefs.href(of: action), forKey: .href)
        try members.encode("POST", forKey: .method)
    }

    /// Returns true if both links dispatch the same action, with the same arguments.
    public static func == (a: ActionLink, b: ActionLink) -> Bool { a.isSame(b.action) }

    /// The key of the ``ActionHrefs`` in the `userInfo` of an encoder of views.
    package static let hrefsKey = CodingUserInfoKey(named: "StoreCore.ActionLink.hrefs")
}

/// The addresses at which clients dispatch actions.
package protocol ActionHrefs: Sendable {
    /// Returns the path and the query of the address.
    ///
    /// - Throws: ``ActionLinkError`` for an action that clients can't dispatch by a link.
    func href(of action: any Action) throws -> String
}

package struct ActionLinkError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension CodingUserInfoKey {
    /// Makes a key with this name. `init(rawValue:)` returns a key for every name.
    fileprivate init(named name: String) {
        guard let key = CodingUserInfoKey(rawValue: name) else {
            preconditionFailure("'\(name)' is not a key of an encoder's userInfo")
        }
        self = key
    }
}
