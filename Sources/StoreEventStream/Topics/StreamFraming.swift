package import StoreWire

/// Makes the bytes that sockets are sent of a frame's payload.
package typealias StreamFraming = @Sendable (_ payload: Bytes) -> Bytes
