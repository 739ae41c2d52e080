/// The id of an open stream, for operators who list streams or close one. Two streams of a writer
/// never have the same id, even if one takes the slot of the other.
///
/// The text `12-3` stands for the third stream in slot 12.
package struct StreamID: Hashable, Sendable, LosslessStringConvertible {
    /// The index of the stream's slot in its writer, from 0. Another stream uses the slot when this
    /// one has ended.
    package let slot: Int32
    /// The number of streams that have used the slot, with this one.
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
