/// An object that does the work of a use case: input, output and calls of services. The outputs go
/// to the dispatcher.
///
/// ```swift
/// protocol LoginUseCase {
///     func login(userName: String, password: String) async throws
/// }
///
/// final class LoginInteractor: Interactor<Login.Internal>, LoginUseCase { … }
/// ```
open class Interactor<Action: Sendable>: @unchecked Sendable {
    // Safety: this class has one constant; a subclass that adds variables has to make them safe.

    /// The dispatcher of the outputs.
    public let dispatcher: AnyDispatcher<Action>

    /// Makes an interactor whose outputs go to `dispatcher`.
    public init(dispatcher: AnyDispatcher<Action>) {
        self.dispatcher = dispatcher
    }
}
