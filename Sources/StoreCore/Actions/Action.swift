/// A value that describes an event or a request. The fields of the action are the details; an
/// action without details has no fields.
///
/// Any `Sendable` value can be an action:
///
/// ```swift
/// struct StepChangeRequested: Action {
///     let step: Int
/// }
/// ```
public protocol Action: Sendable {}

/// An action that declares the data of its analytics line.
///
/// Every applied action has an analytics line. A tracked action adds `data` to its line.
/// ``record(before:)`` makes the data from the action's fields and the state before the action.
///
/// ```swift
/// extension Cart.Action: TrackedAction {
///     func record(before state: Cart.State) -> Checkout { Checkout(items: state.items.count) }
/// }
/// ```
///
/// `State` is the slice of the action's module. The actions of a module can therefore be tracked in
/// a target that imports only `StoreCore`. `State` may also be the root state, which has all
/// slices. `data` is empty if the slice does not exist, for instance before a start.
public protocol TrackedAction<State>: Action {
    /// The state before the action: the slice of its module, or the whole state.
    associatedtype State
    /// The type of the record, which is encoded as `data` in the analytics line.
    associatedtype Record: Encodable & Sendable

    /// Returns the record of this action; `state` is the state before the action.
    ///
    /// The function runs on the thread that does the Core's work. A long computation would delay
    /// every later action.
    func record(before state: State) -> Record
}

/// A tracked action of a module with instances. The record of the action can have the instance's
/// id.
///
/// ```swift
/// extension Card.Action: TrackedInstanceAction {
///     func record(before state: Card.State, of instance: String) -> Like {
///         Like(card: instance, likes: state.likes)
///     }
/// }
/// ```
public protocol TrackedInstanceAction<State>: TrackedAction {
    /// The state before the action: the slice of the instance, or the whole state.
    associatedtype State
    /// The type of the record, which is encoded as `data` in the analytics line.
    associatedtype Record

    /// Returns the record of this action; `state` is the state before the action.
    func record(before state: State, of instance: String) -> Record
}

extension TrackedInstanceAction {
    /// Returns the record of an action that is for no instance: the id is then an empty text.
    public func record(before state: State) -> Record { record(before: state, of: "") }
}

/// An action with fields that must never be stored, such as a password or a token.
///
/// The server removes the ``secrets`` from the payload before it makes the action, for every
/// dispatcher. Dispatchers are clients, views, and the program itself: its effects, use cases,
/// presenters, reactions and interceptors. Therefore the reducer gets the same action that the
/// journal stores, and a replay makes the same state.
///
/// The secret members reach no journal, stream or log. Declare these members optional, because the
/// reducer always gets `nil`. If a type requires a secret member, the server does not start.
///
/// ```swift
/// struct LoginRequested: RedactedAction, Codable {
///     static let secrets = ["password"]
///     let name: String
///     let password: String?
/// }
/// ```
public protocol RedactedAction: Action {
    /// The names that the secret members have on the wire.
    static var secrets: [String] { get }
}

extension Action {
    /// Returns the wire name with `{id}` in place of an instance's id: `cards/{id}/liked` for
    /// `cards/7/liked`. Schemas, metrics and events use this name. Clients choose the ids, so the
    /// number of names that contain ids has no bound.
    ///
    /// Cost: two comparisons of types for an action without an instance.
    package func wireNameTemplate(of wireName: String) -> String {
        let own = type(of: self)
        if own == ClientRequest.self, let request = self as? ClientRequest {
            return request.wireNameTemplate
        }
        guard own == AddressedAction.self else { return wireName }
        // Compares bytes, because a slash with a combining mark behind it is a different
        // `Character`.
        let (name, slash) = (wireName.utf8, UInt8(ascii: "/"))
        guard let first = name.firstIndex(of: slash), let last = name.lastIndex(of: slash),
            first < last
        else { return wireName }
        return "\(wireName[..<name.index(after: first)]){id}\(wireName[last...])"
    }
}
