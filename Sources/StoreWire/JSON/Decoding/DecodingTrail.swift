/// The way from a document's root to the value that was asked for last.
///
/// Types of people's own that try one form after another ask for many places, each a little further
/// on than the one before. The trail goes on from where it stands, and hands out its keys without a
/// copy, so that all the questions of one pass cost about one walk over the document.
///
/// A class, so that a caller that reads values only borrows its state.
final class DecodingTrail {
    /// One container on the way.
    private struct Step {
        let container: Int
        /// The entry where the member or element on the way begins, for members that of the key.
        var child: Int
        /// How many come before it.
        var position: Int
    }

    private var steps: [Step] = []
    private var keys: [any CodingKey] = []
    /// How many entries were looked at since the start.
    private(set) var visits = 0

    /// Forgets the way; needed whenever the document is another.
    func restart() {
        if steps.isEmpty { return }
        steps.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
    }

    /// The keys and indices from the root to a value.
    func codingPath(to target: Int, in tape: JSONTape) -> [any CodingKey] {
        // A container around the last place keeps what lies within it: it may be asked for by
        // turns.
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

    /// Moves on to the child of a container that holds the target. Returns that child's value.
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
