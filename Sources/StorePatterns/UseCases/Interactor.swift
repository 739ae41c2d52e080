/// Does the work of a use case: input and output, and calls of services. Its outputs go to the
/// dispatcher.
///
/// ```swift
/// protocol LoginUseCase {
///     func login(userName: String, password: String) async throws
/// }
///
/// final class LoginInteractor: Interactor<Login.Internal>, LoginUseCase { … }
/// ```
open class Interactor<Action: Sendable>: @unchecked Sendable {
    // Safety: it has one constant here; a subclass that adds variables answers for them.

    /// Where its outputs go.
    public let dispatcher: AnyDispatcher<Action>

    /// Makes an interactor whose outputs go to `dispatcher`.
    public init(dispatcher: AnyDispatcher<Action>) {
        self.dispatcher = dispatcher
    }
}
