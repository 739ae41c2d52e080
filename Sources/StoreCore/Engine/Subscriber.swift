import Dispatch
import Synchronization

/// An observer, a middleware or another handler that the Core calls until the subscription ends.
final class Subscriber<Handler>: @unchecked Sendable {
    // Safety: the handler is a `@Sendable` closure in every use; the type cannot express that.
    let handler: Handler
    let queue: DispatchQueue?
    private let active = Atomic(true)

    init(handler: Handler, queue: DispatchQueue?) {
        self.handler = handler
        self.queue = queue
    }

    /// True if the Core may still call the handler.
    @inline(__always)
    var isActive: Bool { active.load(ordering: .relaxed) }

    /// Ends the subscription. Returns `false` if it had already ended.
    func end() -> Bool {
        active.exchange(false, ordering: .sequentiallyConsistent)
    }
}
