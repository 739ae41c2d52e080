import StoreCore
import StoreHTTPClient
import StoreServer

/// The options of the program, beside those of the library.
struct KanbanOptions: ProgramOptions {
    var hookSecret = Secret()

    static let options: [Option] = [
        .flag("hook-secret", "the secret that signs comments for the addresses of boards")
            .sets(\.hookSecret, .secret(bytes: 16...256))
    ]
}

/// A comment on its way to the address of a board. The receiver may get a comment twice.
struct Delivery: ModuleState {
    var board: String
    var card: String
    var comment: Comment
}

extension Board {
    /// Returns an effect that sends a comment to the address of the board, if there is an address.
    func deliver(_ comment: Comment, on card: String, of board: State, in context: ReducerContext)
        -> Effect<State>
    {
        guard !board.hook.isEmpty, let name = context.instance else { return .none }
        return keep(
            .deliver(url: board.hook, Delivery(board: name, card: card, comment: comment)),
            retry: .times(8, pause: .seconds(1), pauseMax: .seconds(300))
        )
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        switch work {
        case .deliver(let url, let delivery):
            let secret = try context.dependencies[KanbanOptions.self].hookSecret
            let request = try HTTPRequest.post(url, json: delivery, timeout: .seconds(10))
                .signed(with: secret.text)
            let response = try await context.dependencies.http.response(to: request)
            guard (200..<300).contains(response.status) else {
                throw HTTPClientError(.status, request, "the answer is \(response.status)")
            }
        }
    }

    func failed(_ work: Work, _ error: any Error) -> Internal? { .deliveryFailed }
}
