/// The id of an open stream, for operators who list streams or close one. A stream writer gives
/// each stream an id of its own, also one that takes the place of another.
///
/// As text, `12-3`: the third stream in the place 12.
package struct StreamID: Hashable, Sendable, LosslessStringConvertible {
    /// The stream's place among those of the writer, from 0; it is used again when the stream ends.
    package let slot: Int32
    /// How many streams have had the place, with this one.
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
