package import StoreEventStream

/// An open stream, as an operator sees it.
package struct OpenStream: Sendable {
    package let id: StreamID
    package let topic: TopicID
    let address: PeerAddress
    /// How long it has been open, in whole seconds.
    package let seconds: Int
    /// The version that its reader certainly has been sent; `nil` where that is none.
    package let version: UInt64?
    /// Whether its reader has not taken everything that was sent.
    package let isBehind: Bool

    /// Where its reader is: an address with a port, or `unix`.
    package var peer: String { address.text }
}
