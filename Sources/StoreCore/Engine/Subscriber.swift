import Dispatch
import Synchronization

/// An observer, a middleware or another handler that the Core calls, and whether it may still be
/// called.
final class Subscriber<Handler>: @unchecked Sendable {
    // Safety: the handler is a `@Sendable` closure in every use; it can't be said in the type.
    let handler: Handler
    let queue: DispatchQueue?
    private let active = Atomic(true)

    init(handler: Handler, queue: DispatchQueue?) {
        self.handler = handler
        self.queue = queue
    }

    /// Whether it may still be called.
    @inline(__always)
    var isActive: Bool { active.load(ordering: .relaxed) }

    /// Ends it. Returns `false` where it had ended before.
    func end() -> Bool {
        active.exchange(false, ordering: .sequentiallyConsistent)
    }
}
