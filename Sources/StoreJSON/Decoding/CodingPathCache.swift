/// The path from a document's root to one of its values. A search for another value's path begins
/// at this path.
///
/// A type that tries to decode several forms causes many errors, and each error needs the path of a
/// value. These values usually follow the order of the document. So the cache continues from the
/// last value, and all paths together cost about one walk over the document.
///
/// The cache is a class. So functions of the decoding state can change the cache without being
/// `mutating`.
final class CodingPathCache {
    /// A container on the path.
    private struct PathContainer {
        let index: Int
        /// The entry of the element on the path, or the entry of the key of the member on the path.
        var childIndex: Int
        /// The number of members or elements before `childIndex`.
        var position: Int
    }

    private var containers: [PathContainer] = []
    private var keys: [any CodingKey] = []
    /// The number of members and elements that the searches have visited so far. Only tests read
    /// this number.
    private(set) var visitCount = 0

    /// Discards the path. The decoder has to call this function before it reads another document.
    func discardPath() {
        if containers.isEmpty { return }
        containers.removeAll(keepingCapacity: true)
        keys.removeAll(keepingCapacity: true)
    }

    /// Returns the keys and indices from the root to a value.
    func codingPath(to target: Int, in tape: JSONTape) -> [any CodingKey] {
        // If the target is a container on the path, keep the part of the path below that container.
        // The next target may again be a child of the container.
        var depth = containers.count
        while depth > 0, containers[depth - 1].index > target { depth -= 1 }
        if depth > 0, containers[depth - 1].index == target { return Array(keys[..<(depth - 1)]) }
        while depth > 0, target >= Int(tape.entries[containers[depth - 1].index].nextOrHash) {
            depth -= 1
        }
        containers.removeLast(containers.count - depth)
        keys.removeLast(keys.count - depth)

        var container = containers.last?.index ?? 0
        while container < target, let child = addStep(from: container, to: target, tape) {
            container = child
        }
        return keys
    }

    /// Adds a container to the path, with its child that is or contains the target. Returns the
    /// entry of that child's value.
    private func addStep(from container: Int, to target: Int, _ tape: JSONTape) -> Int? {
        let isObject = tape.kind(at: container) == .object
        let end = Int(tape.entries[container].nextOrHash)
        var step = PathContainer(index: container, childIndex: container + 1, position: 0)
        if let last = containers.last, last.index == container {
            containers.removeLast()
            keys.removeLast()
            if last.childIndex <= target { step = last }
        }
        while step.childIndex < end {
            visitCount += 1
            let value = isObject ? step.childIndex + 1 : step.childIndex
            let next = Int(tape.entries[value].nextOrHash)
            if target < next {
                containers.append(step)
                keys.append(
                    isObject
                        ? JSONKey.name(tape.string(at: step.childIndex))
                        : JSONKey.index(step.position)
                )
                return value
            }
            step.childIndex = next
            step.position += 1
        }
        return nil
    }
}
