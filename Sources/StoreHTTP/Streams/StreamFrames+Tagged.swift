package import EventStream
import HTTPTransport
package import Wire

extension StreamFrames {
    /// The writer's own frames for a store of this epoch.
    package static func tagged(epoch: Epoch) -> StreamFrames {
        StreamFrames(
            heartbeat: { Chunk.of(SSEFrame.heartbeat(at: Tag(epoch: epoch, version: $0))) },
            bye: { reason in
                let word: SSEFrame.ByeReason =
                    switch reason {
                    case .shutdown: .shutdown
                    case .expired: .expired
                    case .lifetime: .lifetime
                    case .slow: .slow
                    }
                return Chunk.of(
                    SSEFrame.bye(word, retryMilliseconds: 2_000),
                    isLast: true
                )
            }
        )
    }
}
