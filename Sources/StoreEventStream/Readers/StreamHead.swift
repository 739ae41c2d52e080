package import StoreWire

/// What a stream sends before the frames of its topic.
package struct StreamHead: Sendable {
    /// The head of the HTTP response, blank line included. Never coded, and in no chunk.
    package let response: Bytes
    /// The payload that this reader begins with; may be empty.
    package let payload: Bytes

    package init(response: Bytes, payload: Bytes = Bytes([])) {
        self.response = response
        self.payload = payload
    }

    /// The same with more payload behind it.
    package func followed(by frames: [Bytes]) -> StreamHead {
        StreamHead(response: response, payload: Bytes(joining: [payload] + frames))
    }
}
