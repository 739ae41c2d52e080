import HTTPTransport
import StoreCore
import Wire

/// `?cancel=on-close`: where the client closes its side while it waits for effects, they are cancelled.
enum CancelOnClose {
    static let parameter = "cancel"
    static let word = "on-close"

    /// Whether a request asks for it.
    static func isAsked(by query: Query) throws(Problem) -> Bool {
        do { return try query.word(parameter, word) } catch { throw .badRequest(error.detail) }
    }

    /// Cancels what `watch` waits for when the client of a request that is put off leaves. On the event
    /// loop's thread.
    static func arrange(for exchange: HTTPExchange, _ watch: EffectWatch?, _ runner: EffectRunner?)
    {
        guard let watch, let runner else { return }
        exchange.whenClientLeaves { runner.cancel(all: watch) }
    }
}
