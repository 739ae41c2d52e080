/// The path from a document's root to the value whose path was computed last.
///
/// A type that tries one form after another needs the paths of many values, each a little behind
/// the previous value. The trail continues from its last value, and returns its keys without a
/// copy. All paths of one pass together cost about one walk over the document.
///
/// The trail is a class, so that a caller that reads values only borrows its state.
final class DecodingTrail {
    /// A container on the path.
    private struct Step {
        let container: Int
        /// The entry at which the member or element on the path begins; for a member, the entry of
        /// its key.
        var child: Int
        /// The number of members or elements before that child.
        var position: Int
    }

    private var steps: [Step] = []
    private var keys: [any CodingKey] = []
    /// The number of entries that were visited since the trail was made.
    private(set) var visits = 0

    /// Discards the path; required before another document.
    func restart() {
        if steps.isEmpty { return }
        steps.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
    }

    /// Returns the keys and indices from the root to a value.
    func codingPath(to target: Int, in tape: JSONTape) -> [any CodingKey] {
        // If the target is a container on the path, the steps below it stay. A type may need the
        // paths of the container and of its children alternately.
        var depth = steps.count
        while depth > 0, steps[depth - 1].container > target { depth -= 1 }
        if depth > 0, steps[depth - 1].container == target { return Array(keys[..<(depth - 1)]) }
        while depth > 0, target >= Int(tape.entries[steps[depth - 1].container].next) { depth -= 1 }
        steps.removeLast(steps.count - depth)
        keys.removeLast(keys.count - depth)

        var container = steps.last?.container ?? 0
        while container < target, let child = advance(container, to: target, tape) {
            container = child
        }
        return keys
    }

    /// Moves on to the container's child that holds the target. Returns the value of that child.
    private func advance(_ container: Int, to target: Int, _ tape: JSONTape) -> Int? {
        let isObject = tape.kind(at: container) == .object
        let end = Int(tape.entries[container].next)
        var step = Step(container: container, child: container + 1, position: 0)
        if let last = steps.last, last.container == container {
            steps.removeLast()
            keys.removeLast()
            if last.child <= target { step = last }
        }
        while step.child < end {
            visits += 1
            let value = isObject ? step.child + 1 : step.child
            let next = Int(tape.entries[value].next)
            if target < next {
                steps.append(step)
                keys.append(
                    isObject
                        ? JSONKey.name(tape.string(at: step.child)) : JSONKey.index(step.position)
                )
                return value
            }
            step.child = next
            step.position += 1
        }
        return nil
    }
}
