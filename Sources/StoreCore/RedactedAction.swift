/// An action with fields that must never be kept: a password, a token.
///
/// The server removes these members from the payload before it makes the action, for every
/// dispatcher. Dispatchers are clients, views, and the program itself: its effects, use cases,
/// presenters, reactions and interceptors. So the reducer gets the action that is journaled, and a
/// replay gives the same state.
///
/// The members reach no journal, stream or log. Declare them optional, because the reducer always
/// gets `nil`. If an action requires one of them, the server does not start.
///
/// ```swift
/// struct LoginRequested: RedactedAction, Codable {
///     static let secrets = ["password"]
///     let name: String
///     let password: String?
/// }
/// ```
public protocol RedactedAction: Action {
    /// The names of the secret members on the wire.
    static var secrets: [String] { get }
}
