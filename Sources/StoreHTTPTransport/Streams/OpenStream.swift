package import StoreEventStream

/// An open stream, as an operator sees it.
package struct OpenStream: Sendable {
    package let id: StreamID
    package let topic: TopicID
    let address: PeerAddress
    /// The time for which the stream has been open, in whole seconds.
    package let seconds: Int
    /// The newest version that was certainly sent to the reader; `nil` if there is none.
    package let version: UInt64?
    /// True if the reader has not taken every byte that was published for it.
    package let isBehind: Bool

    /// The reader's address with its port, or `unix`.
    package var peer: String { address.text }
}
