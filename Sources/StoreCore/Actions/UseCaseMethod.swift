/// A method of a use case: work that clients ask for by name. The input of the method is neither
/// stored nor shown anywhere. The work dispatches its outputs as actions.
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
/// A server has a route for each method, `POST /usecases/login/login`. If the module has instances,
/// the route is `POST /usecases/cards/7/rename`. The route decodes the input, and the method does
/// the work. Passwords and tokens belong in the input of a use case, because the fields of an
/// action are journaled.
public struct UseCaseMethod<State: Sendable>: Sendable {
    /// The names of the use case and of the method, with a slash between them.
    package let path: String
    package let inputType: any (Codable & Sendable).Type
    package let makeEffect: @Sendable (any Codable & Sendable) throws -> Effect<State>

    /// Makes a method from its names and its work.
    ///
    /// - Parameters:
    ///   - useCase: the use case's name.
    ///   - method: the method's name within the use case.
    ///   - cancelInFlight: if true, a new call cancels a call that still runs.
    ///   - body: does the work, as an effect of the module.
    public init<Input: Codable & Sendable>(
        _ useCase: String,
        _ method: String,
        cancelInFlight: Bool = false,
        _ body: @escaping @Sendable (Input, EffectContext<State>) async throws -> Void
    ) {
        let path = useCase + "/" + method
        self.path = path
        inputType = Input.self
        makeEffect = { input in
            guard let input = input as? Input else {
                throw Refusal(reason: "The input is not of the type that \(path) takes.")
            }
            return .run(id: path, cancelInFlight: cancelInFlight) { context in
                try await body(input, context)
            }
        }
    }
}

/// A method of a use case, bound to the place of its slice in the root state.
package struct MountedUseCaseMethod<Root: RootState>: Sendable {
    package let path: String
    package let inputType: any (Codable & Sendable).Type
    /// Makes the effect that does the work, from the input of a call.
    let makeEffect: @Sendable (any Codable & Sendable, SliceAddress) throws -> AnyEffect?

    /// Makes the request for the work on a slice. The Core refuses the request if the slice does
    /// not exist.
    package func makeRequest(
        _ input: any Codable & Sendable,
        to address: SliceAddress
    ) throws -> ClientRequest {
        ClientRequest(
            name: ClientRequest.name(ofUseCase: path, instance: address.instance),
            address: address,
            effect: try makeEffect(input, address)
        )
    }
}
