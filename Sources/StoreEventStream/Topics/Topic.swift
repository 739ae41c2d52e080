package import StoreWire

/// The newest frame of a topic, which every new reader begins with.
package struct Topic: Sendable {
    private let framing: StreamFraming
    package private(set) var version: UInt64 = 0
    /// The newest frame as sockets are sent it; `nil` until the first.
    package private(set) var newest: Bytes?

    package init(framing: @escaping StreamFraming) {
        self.framing = framing
    }

    /// The version of the newest frame, where there is one.
    package var newestVersion: UInt64? { newest == nil ? nil : version }

    /// Takes the payload of a newer frame and frames it, once for all readers. Returns `false`, and
    /// takes nothing, where it is not newer: what streams send never goes backwards.
    package mutating func publish(_ frame: Bytes, version: UInt64) -> Bool {
        guard newest == nil || version > self.version else { return false }
        self.version = version
        newest = framing(frame)
        return true
    }

    /// What the socket of a reader that begins now is sent before all that comes later.
    package func opening(for resume: Resume) -> [Bytes] {
        let current = newest.map { [$0] } ?? []
        switch resume {
        case .fresh: return current
        case .resync(let reason): return [framing(reason)] + current
        case .after(let known): return known >= version ? [] : current
        }
    }
}
