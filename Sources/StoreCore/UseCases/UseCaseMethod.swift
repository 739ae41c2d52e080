/// One method of a use case: work that is asked for by name, with an input that is neither kept nor
/// shown anywhere. It dispatches its outputs.
///
/// ```swift
/// var useCases: [UseCaseMethod<State>] {
///     [
///         UseCaseMethod("login", "login") { (input: Credentials, context) in
///             let interactor = LoginInteractor(dispatcher: context.dispatcher(for: Internal.self))
///             try await interactor.login(userName: input.userName, password: input.password)
///         }
///     ]
/// }
/// ```
///
/// A server has a route for each, `POST /usecases/login/login`, and where the module has instances
/// `POST /usecases/cards/7/rename`: the adapter does no more than read the input. Passwords and
/// tokens belong here: an action's fields are journaled.
public struct UseCaseMethod<State: Sendable>: Sendable {
    /// The use case's name and the method's, with a slash between them.
    package let path: String
    package let input: any (Codable & Sendable).Type
    package let effect: @Sendable (any Codable & Sendable) throws -> Effect<State>

    /// Names a method and describes it.
    ///
    /// - Parameters:
    ///   - useCase: the use case's name.
    ///   - method: the method's name within it.
    ///   - cancelInFlight: whether a call cancels one that is under way.
    ///   - body: does the work, as an effect of the module.
    public init<Input: Codable & Sendable>(
        _ useCase: String,
        _ method: String,
        cancelInFlight: Bool = false,
        _ body: @escaping @Sendable (Input, EffectContext<State>) async throws -> Void
    ) {
        let path = useCase + "/" + method
        self.path = path
        input = Input.self
        effect = { input in
            guard let input = input as? Input else {
                throw Refusal(reason: "The input of \(path) is another one.")
            }
            return .run(id: path, cancelInFlight: cancelInFlight) { context in
                try await body(input, context)
            }
        }
    }
}

/// A method of a use case, for the slice at a place.
package struct BoundUseCase<Root: RootState>: Sendable {
    package let path: String
    package let input: any (Codable & Sendable).Type
    /// The work, given its input.
    let effect: @Sendable (any Codable & Sendable, SliceAddress) throws -> PendingEffect?

    /// The request to do the work for a slice, which has to be there.
    package func request(
        _ input: any Codable & Sendable,
        to address: SliceAddress
    ) throws -> ClientRequest {
        ClientRequest(
            name: ClientRequest.name(ofUseCase: path, instance: address.instance),
            address: address,
            effect: try effect(input, address)
        )
    }
}
