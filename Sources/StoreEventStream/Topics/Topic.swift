package import StoreWire

/// The newest frame of a topic, with which every new reader begins.
package struct Topic: Sendable {
    private let framing: StreamFraming
    package private(set) var version: UInt64 = 0
    /// The newest frame in the form that sockets get; `nil` before the first.
    package private(set) var newest: Bytes?

    package init(framing: @escaping StreamFraming) {
        self.framing = framing
    }

    /// The version of the newest frame, if there is a frame.
    package var newestVersion: UInt64? { newest == nil ? nil : version }

    /// Takes the payload of a newer frame and frames it once for all readers. If the version is not
    /// newer, takes nothing and returns `false`, because the versions of a stream never go
    /// backwards.
    package mutating func setNewest(_ frame: Bytes, version: UInt64) -> Bool {
        guard newest == nil || version > self.version else { return false }
        self.version = version
        newest = framing(frame)
        return true
    }

    /// Returns the framed bytes with which a new reader begins.
    package func opening(for resume: Resume) -> [Bytes] {
        let current = newest.map { [$0] } ?? []
        switch resume {
        case .fresh: return current
        case .resync(let reason): return [framing(reason)] + current
        case .after(let known): return known >= version ? [] : current
        }
    }
}
