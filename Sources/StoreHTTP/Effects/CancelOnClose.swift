import StoreCore
import StoreHTTPTransport
import StoreWire

/// `?cancel=on-close`: if the client closes its side while it waits for effects, the effects are
/// cancelled.
enum CancelOnClose: String, CaseIterable, Sendable {
    case onClose = "on-close"

    static let parameter = Parameter<CancelOnClose>.choice(
        "cancel",
        "Cancel the effects if you close the connection while you wait for them."
    )

    /// Cancels the effects of `watch` when the client of a suspended request leaves. Called on the
    /// event loop's thread.
    static func arrange(for exchange: HTTPExchange, _ watch: EffectWatch?, _ runner: EffectRunner?)
    {
        guard let watch, let runner else { return }
        exchange.whenClientLeaves { runner.cancel(all: watch) }
    }
}
