package import StoreEventStream
package import StoreWire

extension StreamFrames {
    /// Makes the writer's own frames for a store of this epoch.
    package static func tagged(epoch: Epoch) -> StreamFrames {
        StreamFrames(
            heartbeat: { SSEFrame.heartbeat(at: Tag(epoch: epoch, version: $0)) },
            expiring: { SSEFrame.expiring(seconds: $0) },
            bye: { reason in
                let word: SSEFrame.ByeReason =
                    switch reason {
                    case .shutdown: .shutdown
                    case .expired: .expired
                    case .lifetime: .lifetime
                    case .slow: .slow
                    }
                return SSEFrame.bye(word, retryMilliseconds: StreamOpening.retryMilliseconds)
            }
        )
    }
}
