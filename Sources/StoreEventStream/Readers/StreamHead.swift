package import StoreWire

/// The bytes that a stream sends before the frames of its topic.
package struct StreamHead: Sendable {
    /// The head of the HTTP response with its blank line, without a content coding and in no chunk.
    package let response: Bytes
    /// The first payload of the stream; may be empty.
    package let payload: Bytes

    package init(response: Bytes, payload: Bytes = Bytes([])) {
        self.response = response
        self.payload = payload
    }

    /// Returns a head with these frames added to the payload.
    package func followed(by frames: [Bytes]) -> StreamHead {
        StreamHead(response: response, payload: Bytes(joining: [payload] + frames))
    }
}
