/// An action some of whose fields must never be kept: a password, a token.
///
/// The server takes these members off the payload before it makes the action, whatever dispatches
/// it: a client, a view, or the program itself, by an effect, a use case, a presenter, a reaction
/// or an interceptor. So what is reduced is what is journaled, and a replay gives the same state.
/// They reach no journal, stream or log. Declare them optional, because the reducer always finds
/// `nil`; an action that needs one keeps the server from starting.
///
/// ```swift
/// struct LoginRequested: SecretiveAction, Codable {
///     static let secrets = ["password"]
///     let name: String
///     let password: String?
/// }
/// ```
public protocol SecretiveAction: Action {
    /// The names that the members have on the wire.
    static var secrets: [String] { get }
}
