import StoreTexts
import StoreWire

/// The difference of two states, by their JSON forms.
enum StateDifference {
    /// The most lines of a text; further lines are only counted.
    static let linesMax = JSONDifference.linesMax

    /// Returns the lines of ``JSONDifference``, or a sentence if the two forms do not differ.
    static func text<State: Encodable>(from old: State, to new: State) -> String {
        do throws(JSONError) {
            let encoder = JSONEncoder()
            let old = try JSONDocument(parsing: encoder.encode(old), limits: .unbounded)
            let new = try JSONDocument(parsing: encoder.encode(new), limits: .unbounded)
            return withExtendedLifetime((old, new)) { text(from: old.root, to: new.root) }
        } catch {
            return "  The states differ, and can't be shown: \(error)."
        }
    }

    private static func text(from old: JSONNode, to new: JSONNode) -> String {
        let lines = JSONDifference.lines(from: old, to: new)
        guard lines.isEmpty else { return lines.joined(separator: "\n") }
        return old.sourceText.isSame(as: new.sourceText)
            ? "  Their JSON forms are the same: what differs is not encoded."
            : "  Only the order of members differs."
    }
}
