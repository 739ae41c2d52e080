import Dispatch

/// Runs pieces of work on threads of their own, and waits for all.
enum Tasks {
    static func concurrently(
        _ bodies: [@Sendable () throws -> Void],
        failed: @Sendable (any Error) -> Void
    ) {
        DispatchQueue.concurrentPerform(iterations: bodies.count) { index in
            do { try bodies[index]() } catch { failed(error) }
        }
    }
}
