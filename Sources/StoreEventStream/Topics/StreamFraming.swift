package import StoreWire

/// A function that makes the bytes for sockets from the payload of a frame.
package typealias StreamFraming = @Sendable (_ payload: Bytes) -> Bytes
