/// What a stream is called while it is open; no other of the same process has the same.
///
/// As text, `12-3`: the third reader in the twelfth place.
package struct StreamID: Hashable, Sendable, LosslessStringConvertible {
    package let slot: Int32
    package let generation: UInt32

    package init(slot: Int32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    package init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let slot = Int32(parts[0]), let generation = UInt32(parts[1]),
            description == "\(slot)-\(generation)"
        else { return nil }
        self.init(slot: slot, generation: generation)
    }

    package var description: String { "\(slot)-\(generation)" }
}
