package import Wire

/// The newest frame of a topic, which every new reader begins with.
package struct Topic: Sendable {
    package private(set) var version: UInt64 = 0
    package private(set) var newest: Bytes?

    package init() {}

    /// The version of the newest frame, where there is one.
    package var newestVersion: UInt64? { newest == nil ? nil : version }

    /// Takes a newer frame. Answers `false`, and takes nothing, where it is not newer: what streams
    /// send never goes backwards.
    package mutating func publish(_ frame: Bytes, version: UInt64) -> Bool {
        guard newest == nil || version > self.version else { return false }
        self.version = version
        newest = frame
        return true
    }

    /// What a reader that begins now is to be sent before all that comes later.
    package func opening(for resume: Resume) -> [Bytes] {
        let current = newest.map { [$0] } ?? []
        switch resume {
        case .fresh: return current
        case .resync(let reason): return [reason] + current
        case .after(let known): return known >= version ? [] : current
        }
    }
}
